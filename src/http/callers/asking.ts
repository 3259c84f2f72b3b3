// Who asks at this moment, for the sample of look-ups. It is set before every step of an answer, because a
// thread answers other requests between two steps.

import type { Steps } from '../work/steps.ts';
import type { Caller } from './auth.ts';

export class AskingCaller {
  #caller: Caller | undefined;

  /** The row of the key in the limiter; undefined for all callers without a key. */
  get slot(): number | undefined {
    // With a limiter of its own, the row is that of an address.
    return this.#caller?.limiter === undefined ? this.#caller?.slot : undefined;
  }

  is(caller: Caller): void {
    this.#caller = caller;
  }

  /** The steps of an answer to the caller. */
  *each<Result>(caller: Caller, steps: Steps<Result>): Steps<Result> {
    try {
      for (;;) {
        this.is(caller);
        const { done, value } = steps.next();
        if (done === true) return value;
        yield value;
      }
    } finally {
      steps.return(undefined as never); // what it would return is not used
    }
  }
}
