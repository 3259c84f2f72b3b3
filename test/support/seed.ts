// The seed of a test that draws at random: a new one each run, printed, and one to be repeated when asked for.

import type { TestContext } from 'node:test';

const VARIABLE = 'VULNDEX_TEST_SEED';

/** A seed that the test's output names; VULNDEX_TEST_SEED in the environment replaces it. */
export function printedSeed(t: Pick<TestContext, 'diagnostic'>): number {
  const wanted = process.env[VARIABLE];
  const seed = wanted === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(wanted);
  if (!Number.isSafeInteger(seed)) throw new RangeError(`${VARIABLE} is no whole number: ${wanted}`);
  t.diagnostic(`seed ${seed}; repeat with ${VARIABLE}=${seed}`);
  return seed;
}
