import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SentReply } from '../../../../src/http/transport/transport.ts';
import { SlowestTable, SlowRequests } from '../../../../src/serve/operations/requests/slow-requests.ts';

const START_MS = Date.UTC(2026, 0, 1);

function sent(tookMs: number, about: Partial<SentReply['about']> = {}): SentReply {
  return { method: 'GET', status: 200, tookMs, about: { id: '', label: 'product', keyId: 'k_1', ...about } };
}

function times(requests: readonly { readonly took_ms: number }[]): number[] {
  return requests.map(({ took_ms }) => took_ms);
}

test('the five slowest of a minute are noted; faster ones are below the threshold', () => {
  let nowMs = START_MS;
  const slow = new SlowRequests(() => nowMs);
  slow.take();
  assert.equal(slow.thresholdMs, 1);
  for (const tookMs of [3, 9, 5, 7]) slow.note(sent(tookMs), '/a');
  assert.equal(slow.thresholdMs, 1);
  slow.note(sent(4), '/a');
  assert.equal(slow.thresholdMs, 3);
  slow.note(sent(8), '/a');
  assert.deepEqual([slow.thresholdMs, times(slow.take()).sort()], [4, [4, 5, 7, 8, 9]]);
  slow.note(sent(6), '/a');
  assert.deepEqual(times(slow.take()), [6]);
  nowMs += 60_000;
  assert.deepEqual([slow.take(), slow.thresholdMs], [[], 1]);
});

test('a request is told by its method, label, path, status, time, id and key', () => {
  const slow = new SlowRequests(() => START_MS);
  slow.note(sent(2.34567, { id: 'r-1' }), '/product/plugin/gallery/1.0');
  assert.deepEqual(slow.take(), [
    {
      atMs: START_MS,
      method: 'GET',
      label: 'product',
      path: '/product/plugin/gallery/1.0',
      status: 200,
      took_ms: 2.346,
      request_id: 'r-1',
      key_id: 'k_1',
    },
  ]);
});

test('a path that no route has is not kept, and a long one is cut off', () => {
  const slow = new SlowRequests(() => START_MS);
  slow.note(sent(2, { label: 'other', keyId: undefined }), '/a-key-that-came-in-the-path');
  slow.note(sent(3), `/product/${'x'.repeat(1_000)}`);
  const [unknown, long] = slow.take();
  assert.deepEqual([unknown.path, unknown.key_id, unknown.request_id], [null, null, null]);
  assert.equal(long.path?.length, 201);
});

test('the table has the 20 slowest of the last hour, from all workers', () => {
  const table = new SlowestTable();
  assert.deepEqual(table.top(START_MS), []);
  for (let minute = 0; minute < 90; minute++) {
    const slow = new SlowRequests(() => START_MS + minute * 60_000);
    for (let i = 0; i < 5; i++) slow.note(sent(1_000 - minute + i / 10), '/a');
    table.add(slow.take());
    table.add([]);
  }
  const top = table.top(START_MS + 89 * 60_000);
  assert.equal(top.length, 20);
  assert.deepEqual([top[0].took_ms, top[0].at], [970.4, '2026-01-01T00:30:00.000Z']);
  assert.deepEqual(
    times(top),
    times(top).toSorted((a, b) => b - a),
  );
  assert.deepEqual(table.top(START_MS + 200 * 60_000), []);
});
