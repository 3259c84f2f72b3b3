// Who asks, as it is seen by whoever is told of look-ups, through the service.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { allocateAddressTable } from '../../../src/http/callers/address-table.ts';
import { AnonymousCallers } from '../../../src/http/callers/anonymous.ts';
import { AskingCaller } from '../../../src/http/callers/asking.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter } from '../../../src/http/callers/rate-limit.ts';
import { TrustedProxies } from '../../../src/http/callers/trusted-proxies.ts';
import type { Handled } from '../../../src/http/handled.ts';
import { Service } from '../../../src/http/service.ts';
import { finish, type Steps } from '../../../src/http/work/steps.ts';
import { Generation } from '../../../src/index/generation.ts';
import type { FolderOwner } from '../../support/folder.ts';
import { replyOf } from '../../support/serving/reply-of.ts';
import { keyRecord } from '../../support/serving/server.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

const EXISTS = '/product/plugin/gallery/1.0/exists';
const BATCH = Buffer.from('[{"type":"plugin","name":"gallery","version":"1.0"}]');

/** The keys `a` and `b` in rows 7 and 8, and anyone without a key. */
function scene(owner: FolderOwner) {
  const asking = new AskingCaller();
  const asked: (number | undefined)[] = [];
  const { parts, records } = generationOf(owner, [coreAdvisory(1)]);
  const tap = { lookedUp: () => void asked.push(asking.slot) };
  const generation = new Generation(parts, records, { tap });
  const table = buildKeyTable(
    {
      tiers: { all: { endpoints: ['exists', 'batch'], rate: null } },
      keys: [keyRecord('a', 'all'), keyRecord('b', 'all')],
    },
    new Map([
      ['id-a', 7],
      ['id-b', 8],
    ]),
  );
  const ring = new KeyRing(table);
  const service = new Service({
    dialects: [patchstack],
    generation: () => generation,
    keys: () => ring,
    limiter: new RateLimiter(),
    anonymous: new AnonymousCallers({
      dialects: [patchstack],
      memory: allocateAddressTable(),
      proxies: new TrustedProxies([]),
    }),
    asking,
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'snapshot',
    nowMs: () => Date.UTC(2026, 0, 10),
    makeRequestId: () => 'made-up',
    onInternalError: (error) => {
      throw error;
    },
  });
  const handle = (method: 'GET' | 'POST', path: string, key: string): Handled =>
    service.handle({
      method,
      path,
      query: '',
      address: '192.0.2.1',
      header: (name) => (name === 'pskey' ? key : ''),
      list: () => '',
    });
  return { handle, asked };
}

test('a look-up is that of the key that asked, or of nobody in particular', (t) => {
  const { handle, asked } = scene(t);
  for (const key of ['a', 'b', '', 'a']) assert.ok('status' in handle('GET', EXISTS, key), key);
  for (const key of ['', 'b', 'b', 'b']) replyOf(handle('POST', '/batch', key), BATCH); // the last from memory
  assert.deepEqual(asked, [7, 8, undefined, 7, undefined, 8, 8, 8]);
});

test('between two steps of an answer others ask, and what the next step looks up is not theirs', (t) => {
  const { handle, asked } = scene(t);
  const wanted = handle('POST', '/batch', 'a');
  assert.ok('kind' in wanted && wanted.kind === 'body-wanted');
  const steps = wanted.work(BATCH).steps();
  assert.equal(steps.next().done, false);
  handle('GET', EXISTS, '');
  assert.deepEqual(asked, [undefined]);
  assert.equal(finish(steps).status, 200);
  assert.deepEqual(asked, [undefined, 7]);
});

test('steps that are ended early end what they were made of', () => {
  let isEnded = false;
  function* endless(): Steps<never> {
    try {
      for (;;) yield;
    } finally {
      isEnded = true;
    }
  }
  const caller = { id: 'a', source: 'key a', tier: 'all', endpoints: new Set(['all']), slot: 1 };
  const steps = new AskingCaller().each({ ...caller, batchCost: 'request', rate: null }, endless());
  steps.next();
  steps.return(undefined as never);
  assert.ok(isEnded);
});
