// What a transport reports about its requests. Called on the request path, so an
// implementation only adds to counters.

export interface RequestObserver {
  connected(): void;
  disconnected(): void;
  /** The head of a request has arrived. */
  started(): void;
  /** The socket took the whole reply; `tookMs` ends when it had taken what it takes at once. */
  ended(label: string, status: number, tookMs: number, bodyBytes: number): void;
  /** The request ended without an answer: its body was aborted or overdue. */
  abandoned(): void;
  /** The reply was cut off after this many bytes of its body. */
  cutOff(bodyBytes: number): void;
}

/** Counts nothing. */
export const SILENT_OBSERVER: RequestObserver = {
  connected() {},
  disconnected() {},
  started() {},
  ended() {},
  abandoned() {},
  cutOff() {},
};
