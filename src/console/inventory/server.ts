// The requests of this view through the page's API client, and what its errors mean for asking on.

import { type Api, ApiError } from '../app/api.ts';
import type { ItemAnswer } from './answer.ts';
import type { Failure, Server } from './ask.ts';

export function serverOf(api: Api, signal: AbortSignal): Server {
  return {
    batch: (items) => api.post<readonly ItemAnswer[]>('/batch?fix=true', items, signal),
    product: ({ type, name, version }) => {
      const path = [type, name, version].map(encodeURIComponent).join('/');
      return api.get<ItemAnswer>(`/product/${path}?fix=true`, signal);
    },
    failureOf: (error) => {
      if (signal.aborted) throw error;
      return failureOf(error);
    },
    wait: (seconds) => wait(seconds, signal),
  };
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) return { kind: 'refused', code: 'unknown_answer', why: String(error) };
  const { kind, code, message, retryAfterSeconds } = error;
  if (kind === 'key' || kind === 'forbidden') return { kind: 'stop', why: message };
  if (kind === 'later') return { kind: 'later', seconds: retryAfterSeconds, why: message };
  if (kind === 'unreachable') return { kind: 'later', seconds: undefined, why: message };
  return { kind: 'refused', code, why: message };
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
