// What the server tells of its requests, for whoever counts them. Called on the request path, so whatever stands
// behind it only adds to counters.

import type { RouteLabel } from './routes.ts';

export interface RequestObserver {
  connected(): void;
  disconnected(): void;
  /** The head of a request has arrived. */
  started(): void;
  /** Its reply was handed to the socket, whole or for as much as it took. */
  ended(label: RouteLabel, status: number, tookMs: number, bodyBytes: number): void;
  /** It went away before it could be answered: an aborted or overdue body. */
  abandoned(): void;
}

/** Counts nothing. */
export const SILENT_OBSERVER: RequestObserver = {
  connected() {},
  disconnected() {},
  started() {},
  ended() {},
  abandoned() {},
};
