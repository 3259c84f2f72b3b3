// What a request finds in the rows of leases: tokens, allowances and what the headers say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocateLeases, LeaseRows, WAKE } from '../../../src/http/callers/lease-rows.ts';
import { LeasedLimiter } from '../../../src/http/callers/leased-limiter.ts';
import { RateLimiter, RateLimiterTable, tierRate } from '../../../src/http/callers/rate-limit.ts';
import { pluck } from '../../support/pluck.ts';
import { until } from '../../support/until.ts';

const NOW_MS = Date.UTC(2026, 9, 1);
const RATE = tierRate('t', { limit: 100, window_seconds: 100 });

function open() {
  const { memory } = new RateLimiterTable(2);
  const leases = allocateLeases(memory);
  return { limiter: new LeasedLimiter(memory, leases), rows: new LeaseRows(memory, leases), leases };
}

test('before anything is leased, an allowance may be spent, and is owed', () => {
  const { limiter, rows } = open();
  rows.setReplicas(2);
  const verdicts = Array.from({ length: 6 }, () => limiter.take(1, RATE, NOW_MS));
  assert.deepEqual(pluck(verdicts, 'allowed'), [true, true, true, true, true, false]);
  assert.deepEqual([rows.held(1), rows.takeAsked(1), rows.takeAsked(1)], [-5, 1, 0]);
  assert.deepEqual([rows.isUsed(0), rows.isUsed(1)], [false, true]);
});

test('tokens are spent by cost, all or nothing, and what was refused is remembered', () => {
  const { limiter, rows } = open();
  rows.grant(0, 20);
  assert.equal(limiter.take(0, RATE, NOW_MS, 25).allowed, true); // 10 of them allowed
  assert.equal(limiter.take(0, RATE, NOW_MS, 6).allowed, false);
  assert.equal(limiter.take(0, RATE, NOW_MS, 5).allowed, true);
  assert.deepEqual([rows.held(0), rows.takeAsked(0)], [-10, 6]);
});

test('an allowance that is withheld cannot be spent, and changes no token', () => {
  const { limiter, rows } = open();
  rows.grant(0, 1);
  rows.withhold(0, 10);
  assert.equal(rows.held(0), 1);
  assert.deepEqual(
    [limiter.take(0, RATE, NOW_MS).allowed, limiter.take(0, RATE, NOW_MS).allowed],
    [true, false],
  );
  rows.withhold(0, 0);
  assert.equal(rows.held(0), 0);
  assert.equal(limiter.take(0, RATE, NOW_MS).allowed, true);
});

test('no more is taken back than is there', () => {
  const { rows } = open();
  rows.grant(0, 7);
  rows.withhold(0, 3);
  assert.deepEqual([rows.takeBack(0, 5), rows.takeBack(0, 5), rows.takeBack(0, 5)], [5, 2, 0]);
  assert.equal(rows.held(0), 0);
});

test('the headers are those of one process that counted everything, until another replica spends', () => {
  const { limiter, rows } = open();
  const alone = new RateLimiter();
  rows.grant(0, 30);
  rows.setTatMs(0, NOW_MS + 30 * RATE.emissionIntervalMs);
  for (let i = 0; i < 40; i++) {
    const { allowed, remaining, resetMs, retryAfterMs } = limiter.take(0, RATE, NOW_MS);
    const { tatMs: _, ...expected } = alone.take(0, RATE, NOW_MS);
    assert.deepEqual({ allowed, remaining, resetMs, retryAfterMs }, expected);
    const { tatMs: __, ...peeked } = alone.peek(0, RATE, NOW_MS);
    if (i < 39)
      assert.deepEqual(
        { ...limiter.peek(0, RATE, NOW_MS), tatMs: undefined },
        { ...peeked, tatMs: undefined },
      );
  }
});

test('a refusal says when the fleet has another token, or that a lease is on its way', () => {
  const { limiter, rows } = open();
  rows.withhold(0, 10);
  assert.equal(limiter.take(0, RATE, NOW_MS).retryAfterMs, 200);
  rows.setTatMs(0, NOW_MS + 100 * RATE.emissionIntervalMs);
  const { remaining, retryAfterMs, resetMs } = limiter.take(0, RATE, NOW_MS);
  assert.deepEqual([remaining, retryAfterMs, resetMs], [0, 1_000, 100_000]);
});

test('a tier that is charged by items allows one batch', () => {
  const { limiter, rows } = open();
  rows.setReplicas(50);
  const rate = tierRate('t', { limit: 100, window_seconds: 100 }, 50);
  assert.deepEqual(
    [limiter.take(0, rate, NOW_MS, 50).allowed, limiter.take(0, rate, NOW_MS).allowed],
    [true, false],
  );
});

test('whoever grants is told once, when half of an allowance is spent', async () => {
  const { limiter, rows, leases } = open();
  let told = 0;
  const { waitAsync } = Atomics as unknown as {
    waitAsync(array: Int32Array, index: number, value: number): { readonly value: Promise<string> };
  };
  const listen = (): void => void waitAsync(new Int32Array(leases), WAKE, 0).value.then(() => (told += 1));
  listen();
  rows.grant(0, 3);
  for (let i = 0; i < 8; i++) limiter.take(0, RATE, NOW_MS);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(told, 0);
  limiter.take(0, RATE, NOW_MS);
  await until('it is told', () => told === 1);
});
