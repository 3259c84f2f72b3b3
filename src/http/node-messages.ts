// Converts Node's messages: a request to the service's view of it, a prepared head to the fields that Node takes.

import type { IncomingMessage } from 'node:http';
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

  /** Node joins most repeated fields with a comma, so two keys make one unknown key. */
  header(name: string): string {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : (value?.join(', ') ?? '');
  }
}

export interface SplitHead {
  /** The reason phrase. */
  readonly message: string;
  /** Names and values, alternating, as `writeHead` takes them. */
  readonly fields: string[];
}

/** Splits a head that `makeHead` made. */
export function splitHead(head: string): SplitHead {
  const [statusLine, ...lines] = head.split('\r\n');
  const fields: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(': ');
    fields.push(line.slice(0, colon), line.slice(colon + 2));
  }
  return { message: statusLine.slice(4), fields }; // after three digits and a space
}
