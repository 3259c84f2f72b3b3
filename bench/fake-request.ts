// A request without a socket. Its strings are the same ones each time, where the server's are fresh from the native
// request, so what V8 remembers about a string (its hash) comes for free here; a few tens of nanoseconds.

import type { RequestView } from '../src/http/request-view.ts';

export class FakeRequest implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #headers: ReadonlyMap<string, string>;

  /** Header names are lower case, as the server's view has them. */
  constructor(method: string, path: string, query = '', headers: Readonly<Record<string, string>> = {}) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.#headers = new Map(Object.entries(headers));
  }

  header(name: string): string {
    return this.#headers.get(name) ?? '';
  }
}
