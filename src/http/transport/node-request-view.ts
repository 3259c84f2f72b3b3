// The service's view of a request over Node: of Node's parser's or of our own.

import type { Socket } from 'node:net';
import { canonicalAddress } from '../callers/address.ts';
import { LIST_HEADERS, type RequestView } from './request-view.ts';

/** What was read of a request; IncomingMessage is one. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names and values in turn, as sent. */
  readonly rawHeaders: readonly string[];
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

/** Stays valid after the handler has returned. */
export class NodeRequestView implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #request: RequestHead;

  constructor(request: RequestHead) {
    const { method = '', url = '' } = request; // a server's requests have both
    const target = originForm(url);
    const mark = target.indexOf('?');
    this.#request = request;
    this.method = method;
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
  }

  get address(): string {
    return canonicalAddress(this.#request.socket.remoteAddress ?? '');
  }

  header(name: string): string {
    // Of `headers`, Node joins or drops further lines, depending on the name, and `headersDistinct` is made
    // for all of them at the first question.
    const { rawHeaders } = this.#request;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (!isNamed(rawHeaders[i], name)) continue;
      const first = rawHeaders[i + 1];
      return first !== '' && LIST_HEADERS.has(name) ? this.list(name) : first;
    }
    return '';
  }

  list(name: string): string {
    const { rawHeaders } = this.#request;
    return rawHeaders.filter((_, i) => i % 2 === 1 && isNamed(rawHeaders[i - 1], name)).join(', ');
  }
}

/** `name` is in lower case. */
function isNamed(field: string, name: string): boolean {
  return field.length === name.length && field.toLowerCase() === name;
}

/**
 * The path and query of an absolute URI, which a server must accept as a target (RFC 9112
 * 3.2.2); any other target unchanged.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}
