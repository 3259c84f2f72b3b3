import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedRecord } from '../support/advisories.ts';
import { startServer } from '../support/server.ts';

test('a version below the fix is vulnerable and a version equal to it is not', async (t) => {
  const server = await startServer(t, { records: [feedRecord(1)] });
  assert.deepEqual((await server.request('/product/plugin/gallery/1.4.9/exists')).json(), {
    vulnerable: true,
  });
  assert.deepEqual((await server.request('/product/plugin/gallery/1.5.0/exists')).json(), {
    vulnerable: false,
  });
});

test('HEAD answers as GET without a body, with its length', async (t) => {
  const server = await startServer(t, { records: [feedRecord(1)] });
  const got = await server.request('/all');
  const head = await server.request('/all', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(got.text)));
});
