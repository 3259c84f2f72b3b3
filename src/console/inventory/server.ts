// The requests of this view, through the page's API client.

import { type ProductType, productTypeFacts } from '../../index/product-type.ts';
import { type Api, ApiError } from '../app/api.ts';
import type { ItemAnswer } from './answer.ts';
import type { Server } from './ask.ts';
import { failureOf } from './failure.ts';

export function serverOf(api: Api, signal: AbortSignal): Server {
  return {
    batch: async (items) => {
      const { value, typesWithoutData } = await api.ask<readonly ItemAnswer[]>('/batch?fix=true', {
        method: 'POST',
        body: items,
        signal,
      });
      if (!Array.isArray(value)) return value;
      return value.map((answer, place) =>
        typesWithoutData.includes(items[place]?.type) ? withoutData(items[place].type) : answer,
      );
    },
    product: async ({ type, name, version }) => {
      const path = [type, name, version].map(encodeURIComponent).join('/');
      const { value, typesWithoutData } = await api.ask<ItemAnswer>(`/product/${path}?fix=true`, { signal });
      return typesWithoutData.includes(type) ? withoutData(type) : value;
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

/** An answer without advisories would mean nothing. */
function withoutData(type: ProductType): ItemAnswer {
  const { label } = productTypeFacts(type);
  const message = `The server’s data has no advisory about any ${label} product, so nothing is known about this one.`;
  return { error: { code: 'unknown_ecosystem', message } };
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
