// Health, readiness and the document where the contract is off, over a socket.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyTable } from '../../src/access/key-table.ts';
import { patchstack } from '../../src/dialects/patchstack/patchstack.ts';
import { serviceRoutes } from '../../src/dialects/service-routes.ts';
import { KeyRing } from '../../src/http/callers/auth.ts';
import { RateLimiter } from '../../src/http/callers/rate-limit.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import { Service } from '../../src/http/service.ts';
import { toy } from '../support/serving/toy-dialect.ts';
import { words } from '../support/words.ts';

function ask(method: string, path: string): Reply {
  const service = new Service({
    dialects: [toy, serviceRoutes],
    generation: () => undefined,
    keys: () => new KeyRing(buildKeyTable({ tiers: {}, keys: [] })),
    limiter: new RateLimiter(),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'clock',
    nowMs: () => 0,
    makeRequestId: () => 'made-up',
    onInternalError: (error) => {
      throw error;
    },
  });
  const header = (): string => '';
  const reply = service.handle({ method, path, query: '', address: '127.0.0.1', header, list: header });
  assert.ok('status' in reply);
  return reply;
}

test('they answer without a key beside another dialect, as beside the contract', () => {
  assert.deepEqual(ask('GET', '/healthz').body, '{"status":"ok"}');
  assert.deepEqual([ask('GET', '/readyz').status, ask('HEAD', '/readyz').status], [200, 200]);
  const { info, paths } = JSON.parse(Buffer.from(ask('GET', '/openapi.json').body).toString());
  assert.match(info.description, /^And toys\.\n\nThe paths of the service itself need no key\.$/);
  assert.deepEqual(Object.keys(paths), words('/counts/{platform} /echo /openapi.json /healthz /readyz'));
});

test('they have no files: those of the contract are off with it', () => {
  assert.ok(patchstack.prepare !== undefined);
  assert.equal(serviceRoutes.prepare, undefined);
});

test('another method gets 405, and any other path the 404 of the first dialect', () => {
  const { status, headers, body } = ask('POST', '/healthz');
  assert.equal(status, 405);
  assert.ok(headers.fields.some(([name, value]) => name === 'Allow' && value === 'GET, HEAD'));
  assert.equal(JSON.parse(Buffer.from(body as Uint8Array).toString()).code, 'method_not_allowed');
  assert.match(String(ask('GET', '/all').body), /^not_found \(made-up\)/);
  assert.ok(patchstack.routes.length > serviceRoutes.routes.length);
});
