// Work that can pause: a generator that yields wherever other requests may be answered. Between two yields
// lies what must not be divided, a few milliseconds at most. Who runs it decides how long it pauses,
// unless it yields what it waits for.

import assert from 'node:assert/strict';

/** Requires: run to its end, or ended by `return`. A promise that is yielded never rejects. */
export type Steps<Result> = Generator<Promise<unknown> | undefined, Result, undefined>;

/** Without a pause, for a thread that answers nobody else. Requires: it waits for nothing. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    assert.equal(value, undefined, 'these steps wait for something');
  }
}

/** Waits for the value. Throws what the promise rejects with. */
export function* settled<Value>(promise: Promise<Value>): Steps<Value> {
  const results: PromiseSettledResult<Value>[] = [];
  yield Promise.allSettled([promise]).then(([result]) => results.push(result));
  const [result] = results;
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
