// Rows for callers without a key: the same caller has the same row in every thread, and any number of callers
// fits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressTable, allocateAddressTable } from '../../../src/http/callers/address-table.ts';
import { RateLimiter, tierRate } from '../../../src/http/callers/rate-limit.ts';

const NOW_MS = Date.UTC(2026, 9, 1);
const RATE = tierRate('anonymous', { limit: 4, window_seconds: 60 });

/** What one thread has of a table. */
function threadOn(memory: SharedArrayBuffer) {
  const table = new AddressTable(memory);
  const limiter = new RateLimiter(memory);
  return {
    table,
    take: (caller: string, nowMs = NOW_MS) => limiter.take(table.rowOf(caller), RATE, nowMs),
    /** Requests that the caller has left. */
    left: (caller: string, nowMs = NOW_MS) => {
      const { allowed, remaining } = limiter.peek(table.rowOf(caller), RATE, nowMs);
      return allowed ? remaining + 1 : 0;
    },
  };
}

const nth = (i: number): string => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

test('a caller is counted in all threads together, and apart from others', () => {
  const memory = allocateAddressTable();
  const one = threadOn(memory);
  const other = threadOn(memory);
  for (let i = 0; i < 2; i++) {
    assert.ok(one.take('192.0.2.1').allowed);
    assert.ok(other.take('192.0.2.1').allowed);
  }
  assert.ok(!one.take('192.0.2.1').allowed);
  assert.ok(!other.take('192.0.2.1').allowed);
  assert.equal(other.left('192.0.2.2'), 4);
  assert.ok(one.take('192.0.2.1', NOW_MS + 15_000).allowed, 'a quarter of the window later');
});

test('rows are inside the table, and callers are spread over it', () => {
  const sets = 64;
  const memory = allocateAddressTable(sets);
  const { table } = threadOn(memory);
  const rows = new Set<number>();
  for (let i = 0; i < 5000; i++) rows.add(table.rowOf(nth(i)) >> 2);
  assert.deepEqual([Math.min(...rows), Math.max(...rows), rows.size], [0, sets - 1, sets]);
});

test('another table spreads the same callers differently, so nobody can choose addresses that share a row', () => {
  const [one, other] = [threadOn(allocateAddressTable()), threadOn(allocateAddressTable())];
  const same = Array.from({ length: 200 }, (_, i) => nth(i)).filter(
    (caller) => one.table.rowOf(caller) >> 2 === other.table.rowOf(caller) >> 2,
  );
  assert.ok(same.length < 5, `${same.length} of 200 are in the same set`);
});

test('callers of the past make room without a loss, and those who used most are forgotten last', () => {
  const memory = allocateAddressTable(1);
  const { take, left } = threadOn(memory);
  for (let i = 0; i < 4; i++) take('heavy');
  for (const caller of ['a', 'b', 'c']) take(caller);
  assert.deepEqual(
    ['heavy', 'a', 'b', 'c'].map((caller) => left(caller)),
    [0, 3, 3, 3],
  );
  const laterMs = NOW_MS + 15_000; // the three have their full burst again, heavy has one request
  for (const caller of ['d', 'e', 'f']) take(caller, laterMs);
  assert.deepEqual(
    ['heavy', 'd', 'e', 'f'].map((caller) => left(caller, laterMs)),
    [1, 3, 3, 3],
  );
  for (let i = 0; i < 1000; i++) take(nth(i), laterMs); // more than fit: they push out each other
  assert.equal(left('heavy', laterMs), 1);
  assert.equal(left(nth(0), laterMs), 4, 'forgotten: it begins again with its full burst');
});

test('a table of a fixed size admits any number of callers', () => {
  const memory = allocateAddressTable(256);
  const { take } = threadOn(memory);
  for (let i = 0; i < 20_000; i++) if (!take(nth(i)).allowed) assert.fail(nth(i));
  assert.equal(memory.byteLength, 256 * 4 * 12 + 16);
});
