// The seed of a randomised test: new in each run and printed, or set to repeat a run.

import type { TestContext } from 'node:test';

const VARIABLE = 'VULNDEX_TEST_SEED';

/** A seed, printed in the test's output; VULNDEX_TEST_SEED in the environment overrides it. */
export function printedSeed(t: Pick<TestContext, 'diagnostic'>): number {
  const wanted = process.env[VARIABLE];
  const seed = wanted === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(wanted);
  if (!Number.isSafeInteger(seed)) throw new RangeError(`${VARIABLE} is not a whole number: ${wanted}`);
  t.diagnostic(`seed ${seed}; repeat with ${VARIABLE}=${seed}`);
  return seed;
}
