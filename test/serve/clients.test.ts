// From the operator's options to what a worker is given.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectDialects } from '../../src/dialects/mounts.ts';
import {
  anonymousCallers,
  type ClientChoice,
  clientProblem,
  planClients,
  servedMounts,
} from '../../src/serve/clients.ts';

const NOTHING: ClientChoice = {
  mounts: undefined,
  anonymous: [],
  trustedProxies: [],
  publicUrl: undefined,
  npmUpstream: undefined,
  console: false,
};

test('nothing is wrong with the defaults, and a bad option is named with what was given', () => {
  assert.equal(clientProblem(NOTHING), undefined);
  assert.equal(
    clientProblem({ ...NOTHING, trustedProxies: ['10.0.0.0/8', 'proxy.example'] }),
    '--trusted-proxies: "proxy.example" is not an IP address or a CIDR block, such as 10.0.0.1, 10.0.0.0/8 or fd00::/8',
  );
  assert.match(clientProblem({ ...NOTHING, mounts: ['patchstak'] }) ?? '', /^--mounts: there is no dialect/);
  assert.match(clientProblem({ ...NOTHING, anonymous: ['patchstak'] }) ?? '', /^--anonymous: there is no/);
});

test('a plan is plain data, with a table in shared memory only where a mount is anonymous', () => {
  assert.equal(planClients(NOTHING).addresses, undefined);
  assert.equal(anonymousCallers(selectDialects(NOTHING), planClients(NOTHING)), undefined);
  const choice = { ...NOTHING, anonymous: ['patchstack'], trustedProxies: ['::1'] };
  const others = { run: () => {} }; // what cannot be posted to a thread
  const plan = structuredClone(planClients({ ...choice, ...others }));
  assert.ok(plan.addresses instanceof SharedArrayBuffer);
  assert.deepEqual(Object.keys(plan).sort(), [
    ...['addresses', 'anonymous', 'console', 'mounts', 'npmUpstream', 'publicUrl', 'trustedProxies'],
  ]);
});

test('the dialects of one selection are admitted by the callers of that selection', () => {
  const plan = planClients({ ...NOTHING, anonymous: ['patchstack'] });
  const selection = selectDialects(plan);
  const request = { method: 'GET', path: '', query: '', address: '::1', header: () => '', list: () => '' };
  const entry = anonymousCallers(selection, plan)?.admit(request, selection.dialects[0], undefined);
  assert.equal(entry?.kind, 'caller');
});

test('what is shown of a mount: its name, its paths, and whether it asks for a key', () => {
  const choice = { ...NOTHING, mounts: ['patchstack'], anonymous: ['patchstack'] };
  assert.deepEqual(servedMounts(selectDialects(choice)), [
    { dialect: 'patchstack', paths: ['/', '/database/api/npm', '/database/api/beta'], anonymous: true },
  ]);
  const moved = { ...NOTHING, mounts: ['patchstack=/ps'] };
  assert.deepEqual(servedMounts(selectDialects(moved)), [
    { dialect: 'patchstack', paths: ['/ps'], anonymous: false },
  ]);
});
