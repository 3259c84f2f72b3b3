// The requests of this view, through the page's API client.

import { type Api, ApiError } from '../app/api.ts';
import type { ItemAnswer } from './answer.ts';
import type { Server } from './ask.ts';
import { failureOf } from './failure.ts';

export function serverOf(api: Api, signal: AbortSignal): Server {
  return {
    batch: (items) => api.post<readonly ItemAnswer[]>('/batch?fix=true', items, signal),
    product: ({ type, name, version }) => {
      const path = [type, name, version].map(encodeURIComponent).join('/');
      return api.get<ItemAnswer>(`/product/${path}?fix=true`, signal);
    },
    failureOf: (error) => {
      if (signal.aborted) throw error;
      return error instanceof ApiError
        ? failureOf(error)
        : { kind: 'refused', code: 'unknown_answer', why: String(error) };
    },
    wait: (seconds) => wait(seconds, signal),
  };
}

/** Timers hold at most 2^31 milliseconds. */
const MAX_WAIT_SECONDS = 2_000_000;

function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, Math.min(seconds, MAX_WAIT_SECONDS) * 1_000);
    signal.addEventListener('abort', end, { once: true });
  });
}
