// The body of a problem that never varies, as bytes around the id of the request.

import type { RequestId } from '../request-id.ts';

const utf8 = new TextEncoder();

/** Stands for a request's id: occurs in no text of ours, and needs no escaping in any format. */
export const ANY_REQUEST_ID = 'id-of-the-request';

/** A body rendered for ANY_REQUEST_ID. Requires: an id needs no escaping either. */
export class ProblemBytes {
  readonly #before: string;
  /** Undefined when the body does not name the request. */
  readonly #after: string | undefined;
  /** For ids as long as the last one that was made. */
  #bytes: Uint8Array;
  #idStart = 0;
  #idLength = 0;

  constructor(body: string) {
    const [before, after] = body.split(ANY_REQUEST_ID);
    this.#before = before;
    this.#after = after;
    this.#bytes = utf8.encode(before);
  }

  /** The body for this id. Bytes are valid until the next one is made. */
  with(id: RequestId): string | Uint8Array {
    const after = this.#after;
    if (after === undefined) return this.#bytes;
    if (typeof id === 'string') return this.#before + id + after;
    if (id.length === this.#idLength) id.put(this.#bytes, this.#idStart);
    else {
      this.#idStart = Buffer.byteLength(this.#before);
      this.#idLength = id.length;
      this.#bytes = utf8.encode(`${this.#before}${id}${after}`);
    }
    return this.#bytes;
  }
}
