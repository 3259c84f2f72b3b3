// How much random data a test draws: a tenth by default, all of it with VULNDEX_TEST_FULL=1, as the
// long checks run it.

export const isFull = process.env.VULNDEX_TEST_FULL === '1';

/** A count of drawn cases, rounded up. What must be seen among them is asked of the same volume. */
export const volume = (full: number): number => (isFull ? full : Math.ceil(full / 10));
