import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allocateLeases, LeaseRows } from '../../../src/http/callers/lease-rows.ts';
import { LeasedLimiter } from '../../../src/http/callers/leased-limiter.ts';
import {
  type GcraRate,
  gcra,
  quotaLeft,
  RateLimiter,
  RateLimiterFullError,
  RateLimiterTable,
  rateLimitPolicy,
  retryAfterSeconds,
  tierRate,
} from '../../../src/http/callers/rate-limit.ts';
import { NO_HEADERS, OwnHeaders } from '../../../src/http/replies/reply-headers.ts';
import { isFull } from '../../support/volume.ts';

const NOW_MS = Date.UTC(2026, 9, 1);
const DAY = tierRate('standard', { limit: 5000, window_seconds: 86_400 });

/** Rates that a keys file can contain, including awkward thirds and sevenths. */
const rates = fc
  .record({
    limit: fc.integer({ min: 1, max: 10_000 }),
    window_seconds: fc.integer({ min: 1, max: 100_000 }),
    burst: fc.integer({ min: 1, max: 200 }),
  })
  .map(({ burst, ...record }) => tierRate('t', { ...record, burst: Math.min(burst, record.limit) }));

test('after idling, exactly the burst is admitted at one instant, then one per interval', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 0, max: 2 * NOW_MS }), (rate, startMs) => {
      let tatMs = 0;
      for (let left = rate.burst - 1; left >= 0; left--) {
        const verdict = gcra(tatMs, startMs, rate);
        assert.ok(verdict.allowed);
        assert.equal(verdict.remaining, left);
        tatMs = verdict.tatMs;
      }
      const refused = gcra(tatMs, startMs, rate);
      assert.deepEqual(
        [refused.allowed, refused.remaining, refused.retryAfterMs],
        [false, 0, rate.emissionIntervalMs],
      );
      for (let i = 1; i <= 5; i++) {
        const atMs = startMs + i * rate.emissionIntervalMs;
        const next = gcra(tatMs, atMs, rate);
        assert.deepEqual([next.allowed, next.remaining], [true, 0]);
        tatMs = next.tatMs;
        assert.equal(gcra(tatMs, atMs, rate).allowed, false);
      }
    }),
  );
});

test('no schedule gets more than the burst plus one per interval, in any part of it', () => {
  const gaps = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 1e6 })),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(rates, gaps, (rate, waits) => {
      let tatMs = 0;
      let nowMs = NOW_MS;
      const admitted: number[] = [];
      for (const wait of waits) {
        nowMs += wait;
        const verdict = gcra(tatMs, nowMs, rate);
        tatMs = verdict.tatMs;
        if (verdict.allowed) admitted.push(nowMs);
      }
      for (const [first, fromMs] of admitted.entries()) {
        for (let last = first; last < admitted.length; last++) {
          const count = last - first + 1;
          const elapsedMs = (admitted[last] ?? 0) - fromMs;
          assert.ok(count <= rate.burst + elapsedMs / rate.emissionIntervalMs + 1e-9);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('waiting for the given time admits the next request, and any less does not', () => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 300 }), (rate, waits) => {
      let tatMs = 0;
      let nowMs = NOW_MS;
      for (const wait of waits) {
        nowMs += wait;
        const verdict = gcra(tatMs, nowMs, rate);
        tatMs = verdict.tatMs;
        if (verdict.allowed) continue;
        assert.ok(verdict.retryAfterMs > 0);
        assert.ok(gcra(tatMs, nowMs + verdict.retryAfterMs, rate).allowed);
        assert.ok(gcra(tatMs, nowMs + retryAfterSeconds(verdict.retryAfterMs) * 1000, rate).allowed);
        assert.equal(gcra(tatMs, nowMs + verdict.retryAfterMs - 1 / 1024, rate).allowed, false);
      }
    }),
  );
});

test('exactly the remaining requests are then admitted, and after the reset the whole burst', () => {
  fc.assert(
    fc.property(
      rates,
      fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 50 }),
      (rate, waits) => {
        let nowMs = NOW_MS;
        let verdict = gcra(0, nowMs, rate);
        for (const wait of waits) {
          nowMs += wait;
          verdict = gcra(verdict.tatMs, nowMs, rate);
        }
        assert.equal(admittedAt(verdict.tatMs, nowMs, rate), verdict.remaining);
        assert.equal(admittedAt(verdict.tatMs, nowMs + verdict.resetMs, rate), rate.burst);
      },
    ),
  );
});

test('several requests at once cost as much as one after another, and pass together or not at all', () => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }), (rate, costs) => {
      let tatMs = 0;
      for (const cost of costs) {
        const before = gcra(tatMs, NOW_MS, rate);
        const left = before.allowed ? before.remaining + 1 : 0;
        const verdict = gcra(tatMs, NOW_MS, rate, cost);
        assert.equal(verdict.allowed, cost <= left);
        assert.equal(verdict.remaining, verdict.allowed ? left - cost : left);
        if (!verdict.allowed && cost <= rate.burst) {
          const laterMs = NOW_MS + verdict.retryAfterMs;
          assert.ok(gcra(verdict.tatMs, laterMs, rate, cost).allowed);
          assert.equal(gcra(verdict.tatMs, laterMs - 1 / 1024, rate, cost).allowed, false);
        }
        tatMs = verdict.tatMs;
      }
    }),
  );
});

test('peeking at a row counts nothing', () => {
  const { table, limiter } = makeLimiter();
  const slot = table.slotOf('a');
  for (let i = 0; i < 5; i++) assert.equal(limiter.peek(slot, TWO, NOW_MS).remaining, 1);
  for (let i = 0; i < 2; i++) limiter.take(slot, TWO, NOW_MS);
  assert.equal(limiter.peek(slot, TWO, NOW_MS).allowed, false);
});

function admittedAt(tatMs: number, nowMs: number, rate: GcraRate): number {
  for (let count = 0; ; count++) {
    const verdict = gcra(tatMs, nowMs, rate);
    if (!verdict.allowed) return count;
    tatMs = verdict.tatMs;
  }
}

test('a clock that jumps back locks a key out for one interval at most', () => {
  fc.assert(
    fc.property(
      rates,
      fc.integer({ min: 1, max: NOW_MS }),
      fc.integer({ min: 0, max: 200 }),
      (rate, jumpMs, used) => {
        let tatMs = 0;
        for (let i = 0; i <= used; i++) tatMs = gcra(tatMs, NOW_MS, rate).tatMs;
        const after = gcra(tatMs, NOW_MS - jumpMs, rate);
        assert.ok(after.retryAfterMs <= rate.emissionIntervalMs);
        assert.ok(after.resetMs <= rate.burst * rate.emissionIntervalMs);
        if (!after.allowed) {
          assert.ok(gcra(after.tatMs, NOW_MS - jumpMs + after.retryAfterMs, rate).allowed);
        }
      },
    ),
  );
});

test('a clock that jumps forward gives the burst only once', () => {
  let tatMs = 0;
  for (let i = 0; i < 10; i++) tatMs = gcra(tatMs, NOW_MS, DAY).tatMs;
  assert.equal(admittedAt(tatMs, NOW_MS + 1e12, DAY), DAY.burst);
});

test('the interval is the window over the limit, rounded up by less than 1/1024 ms', () => {
  assert.equal(DAY.emissionIntervalMs, 17_280);
  assert.equal(DAY.burst, 5000);
  fc.assert(
    fc.property(rates, (rate) => {
      const over = rate.emissionIntervalMs - (rate.windowSeconds * 1000) / rate.limit;
      assert.ok(over > -1e-9 && over < 1 / 1024);
      assert.equal(rate.emissionIntervalMs * 1024, Math.round(rate.emissionIntervalMs * 1024));
    }),
  );
});

const TWO = tierRate('two', { limit: 2, window_seconds: 60 });

/** A table, and a limiter that counts in it. */
function makeLimiter(capacity?: number): { readonly table: RateLimiterTable; readonly limiter: RateLimiter } {
  const table = new RateLimiterTable(capacity);
  return { table, limiter: new RateLimiter(table.memory) };
}

function fileOf(...ids: readonly string[]): { readonly keys: readonly { readonly id: string }[] } {
  return { keys: ids.map((id) => ({ id })) };
}

test('each key has its own quota', () => {
  const { table, limiter } = makeLimiter();
  const [a, b] = [table.slotOf('a'), table.slotOf('b')];
  assert.notEqual(a, b);
  assert.deepEqual(
    [a, a, a, b].map((slot) => limiter.take(slot, TWO, NOW_MS).allowed),
    [true, true, false, true],
  );
});

test('limiters over the same memory share their counts', () => {
  const { table, limiter } = makeLimiter();
  const other = new RateLimiter(table.memory);
  const slot = table.slotOf('a');
  assert.deepEqual(
    [limiter, other, limiter, other].map((each) => each.take(slot, TWO, NOW_MS).remaining),
    [1, 0, 0, 0],
  );
});

/** Ten seconds later, 32 bits of a tat in ticks have run over. */
const BEFORE_CARRY_MS = Math.ceil(NOW_MS / 2 ** 22) * 2 ** 22 - 10_000;

test('counting in shared memory gives the verdicts of the pure function, to the last 1/1024 ms', () => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 100 }), (rate, waits) => {
      const { table, limiter } = makeLimiter(1);
      const slot = table.slotOf('a');
      let tatMs = 0;
      let nowMs = BEFORE_CARRY_MS;
      for (const wait of waits) {
        nowMs += wait;
        const expected = gcra(tatMs, nowMs, rate);
        assert.deepEqual(limiter.take(slot, rate, nowMs), expected);
        tatMs = expected.tatMs;
      }
    }),
  );
});

test('a thread whose clock is behind neither gives requests back nor understates the wait', () => {
  for (const behindMs of [1, 7, 9_999]) {
    const { table, limiter } = makeLimiter();
    const slot = table.slotOf('a');
    for (let i = 0; i < 2; i++) limiter.take(slot, TWO, NOW_MS);
    const late = limiter.take(slot, TWO, NOW_MS - behindMs);
    assert.deepEqual(
      [late.allowed, late.remaining, late.retryAfterMs, late.resetMs],
      [false, 0, 30_000 + behindMs, 60_000 + behindMs],
    );
    assert.equal(limiter.take(slot, TWO, NOW_MS + 29_999).allowed, false);
    assert.equal(limiter.take(slot, TWO, NOW_MS + 30_000).allowed, true);
  }
});

test('threads whose clocks differ get no more than the burst plus one per interval, in any period', () => {
  const steps = fc.array(
    fc.record({ wait: fc.integer({ min: 0, max: 300 }), behindMs: fc.integer({ min: 0, max: 9_000 }) }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(rates, steps, (rate, schedule) => {
      const { table, limiter } = makeLimiter(1);
      const slot = table.slotOf('a');
      let nowMs = NOW_MS;
      const admitted: number[] = [];
      for (const { wait, behindMs } of schedule) {
        nowMs += wait;
        if (limiter.take(slot, rate, nowMs - behindMs).allowed) admitted.push(nowMs - behindMs);
      }
      admitted.sort((a, b) => a - b);
      for (const [first, fromMs] of admitted.entries()) {
        for (const [last, toMs] of admitted.entries()) {
          if (last < first) continue;
          assert.ok(last - first + 1 <= rate.burst + (toMs - fromMs) / rate.emissionIntervalMs + 1e-9);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('a clock that is set back by more than 10 s locks a key out for one interval at most', () => {
  const { table, limiter } = makeLimiter();
  const slot = table.slotOf('a');
  for (let i = 0; i < 3; i++) limiter.take(slot, TWO, NOW_MS);
  const backMs = NOW_MS - 3_600_000;
  assert.equal(limiter.take(slot, TWO, backMs).retryAfterMs, 30_000);
  assert.equal(limiter.take(slot, TWO, backMs + 30_000).allowed, true);
});

test('a key keeps its usage across a reload, but starts fresh if it was removed and added again', () => {
  const { table, limiter } = makeLimiter();
  for (const id of ['a', 'b']) {
    for (let i = 0; i < 2; i++) limiter.take(table.slotOf(id), TWO, NOW_MS);
  }
  const slot = table.slotOf('a');
  table.slotOf('c');
  table.retain(['a', 'c']);
  assert.equal(table.slotOf('a'), slot);
  assert.equal(limiter.take(slot, TWO, NOW_MS).allowed, false);
  assert.equal(limiter.take(table.slotOf('b'), TWO, NOW_MS).allowed, true);
});

test('the rows of a file can be posted to a thread: one per key, the same as long as the key stays', () => {
  const { table } = makeLimiter();
  const first = table.slotsOf(fileOf('a', 'b', 'c'));
  assert.deepEqual([...first.keys()], ['a', 'b', 'c']);
  assert.equal(new Set(first.values()).size, 3);
  assert.deepEqual(structuredClone(first), first);
  const second = table.slotsOf(fileOf('c', 'd', 'a'));
  assert.deepEqual([second.get('a'), second.get('c')], [first.get('a'), first.get('c')]);
  assert.ok(![...first.values()].includes(second.get('d') ?? assert.fail()));
  assert.equal(second.has('b'), false);
});

test('a key that moves to a smaller tier is not locked out longer than that tier can', () => {
  const { table, limiter } = makeLimiter();
  const slot = table.slotOf('a');
  for (let i = 0; i < 5000; i++) limiter.take(slot, DAY, NOW_MS);
  assert.equal(limiter.take(slot, TWO, NOW_MS).retryAfterMs, 30_000);
});

test('a row written to after it was freed is idle for its next key', () => {
  const { table, limiter } = makeLimiter();
  const slot = table.slotOf('a');
  table.retain([]);
  for (let i = 0; i < 2; i++) limiter.take(slot, TWO, NOW_MS);
  assert.equal(table.slotOf('b'), slot);
  assert.equal(limiter.take(slot, TWO, NOW_MS).remaining, 1);
});

test('a row that is used again has no lease of the key before, nor what that key owed or was refused', () => {
  const { memory } = new RateLimiterTable(4);
  const leases = allocateLeases(memory);
  const rows = new LeaseRows(memory, leases);
  const table = new RateLimiterTable(4, { memory, leases, taken: new Map([['a', 1]]) });
  rows.grant(0, 7);
  rows.withhold(0, 3);
  rows.grant(1, 5);
  const limiter = new LeasedLimiter(memory, leases);
  limiter.take(0, TWO, NOW_MS, 100);
  const slots = [table.slotOf('a'), table.slotOf('b')];
  assert.deepEqual(slots, [1, 0]);
  assert.deepEqual([rows.isUsed(0), rows.held(0), rows.takeAsked(0)], [false, 0, 0]);
  assert.equal(rows.held(1), 5, 'of a key that stays');
});

test('many reloads with new keys use no more rows than two files have keys, and no key loses its count', () => {
  const { table, limiter } = makeLimiter(200);
  const first = table.slotOf('stays');
  for (let i = 0; i < 2; i++) limiter.take(first, TWO, NOW_MS);
  for (let round = 0; round < 20; round++) {
    const ids = ['stays', ...Array.from({ length: 99 }, (_, i) => `k${round}-${i}`)];
    const slots = [...table.slotsOf(fileOf(...ids)).values()];
    assert.equal(new Set(slots).size, 100);
    assert.ok(Math.max(...slots) < 200);
    table.retain(ids);
    for (const slot of slots) limiter.take(slot, TWO, NOW_MS);
  }
  assert.equal(limiter.take(table.slotOf('stays'), TWO, NOW_MS).allowed, false);
});

test('a file that does not fit is refused as a whole, with numbers, and the current keys keep their rows', () => {
  const { table, limiter } = makeLimiter(3);
  const before = table.slotsOf(fileOf('a', 'b'));
  for (let i = 0; i < 2; i++) limiter.take(before.get('a') ?? assert.fail(), TWO, NOW_MS);
  const isFull = (error: unknown): boolean =>
    error instanceof RateLimiterFullError && / need 4 rows .* which has 3: remove keys/.test(error.message);
  assert.throws(() => table.slotsOf(fileOf('b', 'c', 'd')), isFull);
  const after = table.slotsOf(fileOf('b', 'c', 'a'));
  assert.deepEqual([after.get('a'), after.get('b')], [before.get('a'), before.get('b')]);
  assert.throws(() => table.slotOf('d'), isFull);
  assert.equal(limiter.take(table.slotOf('a'), TWO, NOW_MS).allowed, false);
  table.retain(['a', 'b']);
  assert.equal(limiter.take(table.slotOf('d'), TWO, NOW_MS).remaining, 1);
});

test('a table fits 1,048,576 keys', { skip: isFull ? false : 'only at full volume' }, () => {
  const { table, limiter } = makeLimiter();
  const slots = table.slotsOf({ keys: Array.from({ length: 1_048_576 }, (_, i) => ({ id: String(i) })) });
  assert.equal(new Set(slots.values()).size, 1_048_576);
  assert.equal(limiter.take(slots.get('1048575') ?? assert.fail(), TWO, NOW_MS).remaining, 1);
  assert.throws(() => table.slotOf('one more'), { name: 'RateLimiterFullError' });
});

test('the headers are structured fields, with the burst if it differs from the limit', () => {
  assert.deepEqual(DAY.policy, {
    tier: 'standard',
    header: ['RateLimit-Policy', '"standard";q=5000;w=86400'],
  });
  assert.equal(
    rateLimitPolicy('standard', { limit: 5000, windowSeconds: 86_400, burst: 100 }),
    '"standard";q=5000;w=86400;vulndex-burst=100',
  );
  const first = quotaLeft(DAY, gcra(0, NOW_MS, DAY));
  assert.deepEqual(first, { policy: DAY.policy, remaining: 4999, seconds: 18 });
  assert.deepEqual(new OwnHeaders(first, NO_HEADERS).fields, [
    DAY.policy.header,
    ['RateLimit', '"standard";r=4999;t=18'],
  ]);
  const spent = gcra(NOW_MS + 5000 * DAY.emissionIntervalMs, NOW_MS, DAY);
  assert.deepEqual(quotaLeft(DAY, spent), { policy: DAY.policy, remaining: 0, seconds: 18 });
});

test('the seconds to wait are whole, rounded up and never 0', () => {
  assert.deepEqual([0, 0.001, 1, 1000, 1000.001, 17_280].map(retryAfterSeconds), [1, 1, 1, 1, 2, 18]);
});
