// Node's messages as the service knows them: a request as a view, a prepared head as the fields that Node wants.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestView } from './request-view.ts';

/** Valid as long as Node's request is, which keeps its fields after the handler has returned. */
export class NodeRequestView implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    const { method = '', url = '' } = request; // both are there in what a server is handed
    const mark = url.indexOf('?');
    this.#request = request;
    this.method = method;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
  }

  /** Given twice, most fields are joined by a comma: two keys are no key. */
  header(name: string): string {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : (value?.join(', ') ?? '');
  }
}

export interface SplitHead {
  /** The words behind the status. */
  readonly message: string;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly fields: string[];
}

/** Takes apart what `makeHead` has made. */
export function splitHead(head: string): SplitHead {
  const [statusLine, ...lines] = head.split('\r\n');
  const fields: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(': ');
    fields.push(line.slice(0, colon), line.slice(colon + 2));
  }
  return { message: statusLine.slice(4), fields }; // three digits and a blank
}

/** A request whose turn has come, or that waits for it. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Its client sends the body only when it is told to go on. */
  readonly expectsWord: boolean;
}
