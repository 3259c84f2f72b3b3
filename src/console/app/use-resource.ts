// A hook for what a view asks the server: the last answer stays visible while a newer one is under way or
// fails.

import { useEffect, useState } from 'preact/hooks';
import { ApiError } from './api.ts';

export interface Resource<Value> {
  /** The last answer; undefined until there is one. */
  readonly value: Value | undefined;
  /** Why the last request failed. */
  readonly error: ApiError | undefined;
  readonly isBusy: boolean;
}

const MOST_WAIT_MS = 10_000;

/**
 * Asks when one of `inputs` changes, and again when the server said to come later. An `ask` of undefined asks
 * nothing and shows nothing.
 */
export function useResource<Value>(
  ask: ((signal: AbortSignal) => Promise<Value>) | undefined,
  inputs: readonly unknown[],
): Resource<Value> {
  const [state, setState] = useState<Resource<Value>>({ value: undefined, error: undefined, isBusy: false });
  useEffect(() => {
    if (ask === undefined) {
      setState({ value: undefined, error: undefined, isBusy: false });
      return;
    }
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = (): void => {
      setState((before) => ({ ...before, isBusy: true }));
      ask(abort.signal).then(
        (value) => {
          if (!abort.signal.aborted) setState({ value, error: undefined, isBusy: false });
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          const known = error instanceof ApiError ? error : new ApiError('refused', 0, '', String(error));
          setState((before) => ({ value: before.value, error: known, isBusy: false }));
          if (known.kind === 'later')
            timer = setTimeout(run, Math.min(known.retryAfterSeconds * 1_000, MOST_WAIT_MS));
        },
      );
    };
    run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, inputs);
  return state;
}
