// The trace that a client says its request belongs to (W3C Trace Context), for the access log. It stands in
// front of the service only where there is such a log, so that without one nothing reads the header.

import { changeEach, type Handled } from './handled.ts';
import type { RequestView } from './transport/request-view.ts';
import type { ServingSide } from './transport/transport.ts';

/** Version, trace, parent, flags. Version ff and ids of zeros alone are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The header as sent, or undefined if it is absent or not valid. What a later version may append is not
 * accepted: the log takes no text without a fixed form.
 */
export function traceparentOf(request: Pick<RequestView, 'header'>): string | undefined {
  const sent = request.header('traceparent');
  return sent !== '' && TRACEPARENT.test(sent) ? sent : undefined;
}

/** The same answers; what is reported of them has the trace. */
export class Traced implements ServingSide {
  readonly #inner: ServingSide;

  constructor(inner: ServingSide) {
    this.#inner = inner;
  }

  get bufferBytes(): number {
    return this.#inner.bufferBytes ?? 0;
  }

  remembers(path: string): boolean {
    return this.#inner.remembers?.(path) === true;
  }

  handle(request: RequestView): Handled {
    const traceparent = traceparentOf(request); // now: the view is gone when the service returns
    const handled = this.#inner.handle(request);
    if (traceparent === undefined) return handled;
    return changeEach(handled, (reply) => ({ ...reply, about: { ...reply.about, traceparent } }));
  }
}
