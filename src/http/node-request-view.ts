// The service's view of a request of Node's.

import type { IncomingMessage } from 'node:http';
import { canonicalAddress } from './callers/address.ts';
import type { RequestView } from './request-view.ts';

/** Stays valid after the handler has returned, as Node's request does. */
export class NodeRequestView implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    const { method = '', url = '' } = request; // a server's requests have both
    const mark = url.indexOf('?');
    this.#request = request;
    this.method = method;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
  }

  get address(): string {
    return canonicalAddress(this.#request.socket.remoteAddress ?? '');
  }

  /** Node joins most repeated fields with a comma, so two keys make one unknown key. */
  header(name: string): string {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : (value?.join(', ') ?? '');
  }

  list(name: string): string {
    return this.header(name); // Node has joined the lines
  }
}
