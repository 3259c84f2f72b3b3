// Work that can pause: a generator that yields wherever other requests may be answered. Between two yields lies what must
// not be divided, a few milliseconds at most. Who runs it decides how long it pauses.

/** Requires: run to its end, or ended by `return`. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Without a pause, for a thread that answers nobody else. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
