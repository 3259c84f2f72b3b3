// Real threads on one row of the limiter. This file is both sides: the test, and the thread that it starts.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Rate, RateLimiter, RateLimiterTable, tierRate } from '../../../src/http/callers/rate-limit.ts';
import { until } from '../../support/until.ts';

// Four seconds before the low half of a row runs over, so that threads meet rows with one new half.
const START_MS = Math.ceil(Date.UTC(2026, 9, 1) / 2 ** 22) * 2 ** 22 - 4_000;
const THREADS = 4;
const TIME_LIMIT = { timeout: 30_000 }; // a thread that waits for one that died would wait for ever

// On Node 20 threads do not inherit the loader that runs the tests, so each thread registers it.
const BOOT = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import(${JSON.stringify(import.meta.url)});
});`;

/** What a thread does: at each instant in turn, it takes until it is refused. */
interface Orders {
  readonly memory: SharedArrayBuffer;
  readonly slot: number;
  readonly rate: Rate;
  readonly instantsMs: readonly number[];
  /** At each instant it takes at least this many times. */
  readonly takesEach: number;
  /** One cell each: the number of ready threads, and of requests admitted so far. */
  readonly ready: Int32Array;
  readonly admitted: Int32Array;
}

/** The `remaining` of each request that was admitted. */
type Outcome = readonly number[];

function hammer(orders: Orders): Outcome {
  const { slot, rate, ready, admitted } = orders;
  const limiter = new RateLimiter(orders.memory);
  const remaining: number[] = [];
  Atomics.add(ready, 0, 1);
  Atomics.notify(ready, 0);
  for (let count = Atomics.load(ready, 0); count < THREADS; count = Atomics.load(ready, 0)) {
    Atomics.wait(ready, 0, count);
  }
  for (const nowMs of orders.instantsMs) {
    let isRefused = false;
    for (let taken = 0; taken < orders.takesEach || !isRefused; taken++) {
      const verdict = limiter.take(slot, rate, nowMs);
      isRefused = !verdict.allowed;
      if (isRefused) continue;
      Atomics.add(admitted, 0, 1);
      remaining.push(verdict.remaining);
    }
  }
  return remaining;
}

interface Hammering {
  readonly threads: readonly Worker[];
  readonly outcomes: Promise<readonly Outcome[]>;
  readonly table: RateLimiterTable;
  readonly slot: number;
  readonly admitted: Int32Array;
}

function startHammering(
  t: TestContext,
  orders: Pick<Orders, 'rate' | 'instantsMs' | 'takesEach'>,
): Hammering {
  const table = new RateLimiterTable();
  const slot = table.slotOf('a');
  const [ready, admitted] = [
    new Int32Array(new SharedArrayBuffer(4)),
    new Int32Array(new SharedArrayBuffer(4)),
  ];
  const data: Orders = { ...orders, memory: table.memory, slot, ready, admitted };
  const threads = Array.from({ length: THREADS }, () => new Worker(BOOT, { eval: true, workerData: data }));
  t.after(() => Promise.all(threads.map((thread) => thread.terminate())));
  const outcomes = Promise.all(
    threads.map(
      (thread) =>
        new Promise<Outcome>((resolve, reject) => {
          thread.once('message', resolve);
          thread.once('error', reject);
        }),
    ),
  );
  return { threads, outcomes, table, slot, admitted };
}

function runTests(): void {
  test(
    'four threads at one instant get exactly the burst, each of its requests once',
    TIME_LIMIT,
    async (t) => {
      const rate = tierRate('t', { limit: 20_000, window_seconds: 60 });
      const { outcomes } = startHammering(t, { rate, instantsMs: [START_MS], takesEach: 20_000 });
      const remaining = (await outcomes).flat().sort((a, b) => a - b);
      assert.deepEqual(
        remaining,
        Array.from({ length: 20_000 }, (_, i) => i),
      );
    },
  );

  test(
    'four threads that advance in time at their own pace get exactly the burst and the refill',
    TIME_LIMIT,
    async (t) => {
      // 60,000 / 7,000 ms is not a whole number of ticks, so rounding would show. Steps are shorter than the
      // burst, so the key is never idle and none of the refill expires.
      const rate = tierRate('t', { limit: 7_000, window_seconds: 60, burst: 100 });
      const instantsMs = Array.from({ length: 300 }, (_, i) => START_MS + i * 31);
      const { outcomes } = startHammering(t, { rate, instantsMs, takesEach: 200 });
      const elapsedMs = 299 * 31;
      const expected = Math.floor(rate.burst + elapsedMs / rate.emissionIntervalMs);
      assert.equal((await outcomes).flat().length, expected);
    },
  );

  test('threads terminated while counting block no other and lose no count', TIME_LIMIT, async (t) => {
    const rate = tierRate('t', { limit: 10_000_000, window_seconds: 86_400 });
    const { threads, outcomes, table, slot, admitted } = startHammering(t, {
      rate,
      instantsMs: [START_MS],
      takesEach: Number.POSITIVE_INFINITY,
    });
    const many = until('10,000 to be admitted', () => Atomics.load(admitted, 0) >= 10_000);
    await Promise.race([outcomes, many]);
    await Promise.all(threads.map((thread) => thread.terminate()));
    const verdict = new RateLimiter(table.memory).take(slot, rate, START_MS);
    const used = rate.burst - verdict.remaining - 1;
    const counted = Atomics.load(admitted, 0);
    // Each thread may have ended after its last take, before adding it to the count.
    assert.ok(used >= counted && used <= counted + THREADS, `${used} used, ${counted} counted`);
  });
}

if (isMainThread) runTests();
else parentPort?.postMessage(hammer(workerData));
