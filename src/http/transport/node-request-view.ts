// The service's view of a request of Node's.

import type { IncomingMessage } from 'node:http';
import { canonicalAddress } from '../callers/address.ts';
import { LIST_HEADERS, type RequestView } from './request-view.ts';

/** Stays valid after the handler has returned, as Node's request does. */
export class NodeRequestView implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
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
    // `headers` joins or drops further lines, depending on the name.
    const [first = ''] = this.#request.headersDistinct[name] ?? [];
    return first !== '' && LIST_HEADERS.has(name) ? this.list(name) : first;
  }

  list(name: string): string {
    return this.#request.headersDistinct[name]?.join(', ') ?? '';
  }
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
