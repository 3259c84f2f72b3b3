import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  gcra,
  RateLimiter,
  rateLimit,
  rateLimitPolicy,
  retryAfterSeconds,
  tierRate,
} from '../../src/http/rate-limit.ts';

const NOW_MS = Date.UTC(2026, 9, 1);
const DAY = tierRate('standard', { limit: 5000, window_seconds: 86_400 });

/** Rates a keys file can hold, the awkward thirds and sevenths among them. */
const rates = fc
  .record({
    limit: fc.integer({ min: 1, max: 10_000 }),
    window_seconds: fc.integer({ min: 1, max: 100_000 }),
    burst: fc.integer({ min: 1, max: 200 }),
  })
  .map(({ burst, ...record }) => tierRate('t', { ...record, burst: Math.min(burst, record.limit) }));

test('from idle exactly the burst is admitted at one instant, then one per interval', () => {
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

test('no schedule gets more than the burst and one per interval, in any stretch of it', () => {
  const gaps = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 1e6 })),
    {
      maxLength: 300,
    },
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

test('waiting as long as told admits the next request, and any less does not', () => {
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

test('what remains is what is then admitted, and after the reset the whole burst is', () => {
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

function admittedAt(tatMs: number, nowMs: number, rate: Parameters<typeof gcra>[2]): number {
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

test('a clock that jumps forward gives the burst once and no more', () => {
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

test('each key has its own quota', () => {
  const limiter = new RateLimiter();
  const [a, b] = [limiter.slotOf('a'), limiter.slotOf('b')];
  assert.notEqual(a, b);
  assert.deepEqual(
    [a, a, a, b].map((slot) => limiter.take(slot, TWO, NOW_MS).allowed),
    [true, true, false, true],
  );
});

test('a reload that keeps a key keeps what it has used, and a key that is gone and back starts anew', () => {
  const limiter = new RateLimiter();
  for (const id of ['a', 'b']) {
    for (let i = 0; i < 2; i++) limiter.take(limiter.slotOf(id), TWO, NOW_MS);
  }
  const slot = limiter.slotOf('a');
  limiter.slotOf('c');
  limiter.retain(['a', 'c']);
  assert.equal(limiter.slotOf('a'), slot);
  assert.equal(limiter.take(slot, TWO, NOW_MS).allowed, false);
  assert.equal(limiter.take(limiter.slotOf('b'), TWO, NOW_MS).allowed, true);
});

test('a key that moves to a smaller tier is not locked out longer than that tier can', () => {
  const limiter = new RateLimiter();
  const slot = limiter.slotOf('a');
  for (let i = 0; i < 5000; i++) limiter.take(slot, DAY, NOW_MS);
  assert.equal(limiter.take(slot, TWO, NOW_MS).retryAfterMs, 30_000);
});

test('a row written to after it was freed is idle for its next key', () => {
  const limiter = new RateLimiter();
  const slot = limiter.slotOf('a');
  limiter.retain([]);
  for (let i = 0; i < 2; i++) limiter.take(slot, TWO, NOW_MS);
  assert.equal(limiter.slotOf('b'), slot);
  assert.equal(limiter.take(slot, TWO, NOW_MS).remaining, 1);
});

test('many reloads with new keys use no more rows than two files have keys, and growing loses nothing', () => {
  const limiter = new RateLimiter();
  const first = limiter.slotOf('stays');
  for (let i = 0; i < 2; i++) limiter.take(first, TWO, NOW_MS);
  for (let round = 0; round < 20; round++) {
    const ids = ['stays', ...Array.from({ length: 99 }, (_, i) => `k${round}-${i}`)];
    const slots = ids.map((id) => limiter.slotOf(id));
    assert.equal(new Set(slots).size, 100);
    assert.ok(Math.max(...slots) < 200);
    limiter.retain(ids);
  }
  assert.equal(limiter.take(limiter.slotOf('stays'), TWO, NOW_MS).allowed, false);
});

test('the headers are structured fields, with the burst where it differs from the limit', () => {
  assert.equal(DAY.policy, '"standard";q=5000;w=86400');
  assert.equal(
    rateLimitPolicy('standard', { limit: 5000, windowSeconds: 86_400, burst: 100 }),
    '"standard";q=5000;w=86400;vulndex-burst=100',
  );
  const { remaining, resetMs } = gcra(0, NOW_MS, DAY);
  assert.equal(rateLimit('standard', remaining, resetMs), '"standard";r=4999;t=18');
  assert.equal(rateLimit('standard', 5000, 0), '"standard";r=5000;t=0');
});

test('the seconds to wait are whole, rounded up and never 0', () => {
  assert.deepEqual([0, 0.001, 1, 1000, 1000.001, 17_280].map(retryAfterSeconds), [1, 1, 1, 1, 2, 18]);
});
