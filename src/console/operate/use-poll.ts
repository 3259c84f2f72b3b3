// A hook that asks again and again while the page can be seen: one request at a time, and the last answer
// stays.

import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../app/api.ts';
import type { Resource } from '../app/use-resource.ts';

/** After these, only another key or a reload helps. */
const FINAL: ReadonlySet<ApiError['kind']> = new Set(['key', 'forbidden']);

export interface Poll<Value> extends Resource<Value> {
  /** Asks at once. */
  readonly askNow: () => void;
}

/**
 * Asks at first, when one of `inputs` changes, and `everyMs` after each answer. `ask` gets the last answer.
 */
export function usePoll<Value>(
  ask: (signal: AbortSignal, last: Value | undefined) => Promise<Value>,
  everyMs: number,
  inputs: readonly unknown[],
): Poll<Value> {
  const [state, setState] = useState<Poll<Value>>({
    value: undefined,
    error: undefined,
    isBusy: true,
    askNow: () => {},
  });
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: Value | undefined;
    let isBusy = false;
    let isFinal = false;
    const run = (): void => {
      clearTimeout(timer);
      if (isBusy || isFinal || document.hidden) return;
      isBusy = true;
      ask(abort.signal, last).then(
        (value) => {
          last = value;
          done({ value, error: undefined });
        },
        (error: unknown) => {
          const known = error instanceof ApiError ? error : new ApiError('refused', 0, '', String(error));
          isFinal = FINAL.has(known.kind);
          done({ error: known });
        },
      );
    };
    const done = (outcome: Partial<Poll<Value>>): void => {
      isBusy = false;
      if (abort.signal.aborted) return;
      setState((before) => ({ ...before, ...outcome, isBusy: false, askNow: run }));
      const waitMs = outcome.error?.kind === 'later' ? outcome.error.retryAfterSeconds * 1_000 : 0;
      timer = setTimeout(run, Math.max(everyMs, waitMs));
    };
    document.addEventListener('visibilitychange', run);
    run();
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, inputs);
  return state;
}
