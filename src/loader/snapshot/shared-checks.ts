// Checks that two threads share: the loading one takes them from the first on, its helper from the last.
// Which fault is found does not depend on who was faster, because a check that fails in the helper is done
// again by the loading thread, after all before it.

/** By check, in shared memory. A check that failed in the helper is free again. */
const FREE = 0;
/** By the helper. */
const TAKEN = 1;
/** Passed in the helper, or taken by the loading thread. */
const SETTLED = 2;

/** How long the slowest check of a large snapshot takes on a slow machine. */
const PATIENCE_MS = 60_000;

/** One number for each check. */
export function allocateChecks(count: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
}

/** Does each check that the helper does not. Throws what the first one that fails throws. */
export function shareChecks(states: Int32Array, check: (number: number) => void): void {
  for (let number = 0; number < states.length; number++) {
    if (Atomics.compareExchange(states, number, FREE, SETTLED) !== FREE) continue;
    try {
      check(number);
    } catch (error) {
      settle(states, number, check);
      throw error;
    }
  }
  settle(states, states.length, check);
}

/** Waits for the helper's checks before `end`, and does those that it could not. */
function settle(states: Int32Array, end: number, check: (number: number) => void): void {
  for (let number = 0; number < end; number++) {
    Atomics.wait(states, number, TAKEN, PATIENCE_MS);
    if (Atomics.exchange(states, number, SETTLED) !== SETTLED) check(number);
  }
}

/** The helper's part. Stops at the first check that fails. */
export function helpWithChecks(states: Int32Array, check: (number: number) => void): void {
  for (let number = states.length - 1; number >= 0; number--) {
    if (Atomics.compareExchange(states, number, FREE, TAKEN) !== FREE) continue;
    let state = FREE;
    try {
      check(number);
      state = SETTLED;
    } catch {
      return; // the loading thread meets the same fault, and reports it
    } finally {
      Atomics.compareExchange(states, number, TAKEN, state);
      Atomics.notify(states, number);
    }
  }
}
