// What the server tells of its requests, for whoever counts them. Called on the request path, so whatever stands
// behind it only adds to counters.

export interface RequestObserver {
  connected(): void;
  disconnected(): void;
  /** The head of a request has arrived. */
  started(): void;
  /** Its reply was handed to the socket, whole; `tookMs` until as much of it was as the socket took at once. */
  ended(label: string, status: number, tookMs: number, bodyBytes: number): void;
  /** It went away before it could be answered: an aborted or overdue body. */
  abandoned(): void;
  /** Its reply began to leave and was cut off after so many bytes of its body. */
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
