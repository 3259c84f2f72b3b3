// The body of an answer: whole within a limit, piece by piece, or only its beginning.

import { gunzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { HttpError, shownUrl } from './http-error.ts';

/** The head of a final answer: a success or 304. */
export interface HttpHead {
  /** Where it came from in the end. */
  readonly url: URL;
  readonly status: number;
  /** By lower-case name; the first of several values. */
  header(name: string): string | undefined;
}

export type ResponseBody = Dispatcher.ResponseData['body'];

/** Read of an answer that is only shown. */
const EXCERPT_BYTES = 4096;
/** Read of an answer that nobody wants, so that its connection can be used again; more is not worth it. */
const DUMPED_BYTES = 64 * 1024;

/** A body of at most `maxBytes`, inflated if it is gzip. Throws HttpError. */
export async function readWhole(
  head: HttpHead,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const from = shownUrl(head.url);
  const tooLarge = (): HttpError =>
    new HttpError(
      'too-large',
      `${from}: the answer has more than ${maxBytes} bytes; check the URL`,
      head.status,
    );
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const encoding = head.header('content-encoding')?.toLowerCase();
  if (encoding === undefined || encoding === 'identity' || bytes.length === 0) return bytes;
  if (encoding !== 'gzip') {
    const problem = `${from}: the answer is encoded as ${encoding}, which was not asked for`;
    throw new HttpError('unusable', problem, head.status);
  }
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new HttpError('unusable', `${from}: the gzip content is damaged (${message})`, head.status, error);
  }
}

/** Passes a body on and remembers whether it was the connection that failed. */
export class WatchedBody {
  readonly #body: ResponseBody;
  failure: unknown;

  constructor(body: ResponseBody) {
    this.#body = body;
    // It may fail before it is read; the reader then gets the error, and an event that nobody hears would end
    // the process.
    body.on('error', () => {});
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const chunks = this.#body[Symbol.asyncIterator]();
    for (;;) {
      let next: IteratorResult<Uint8Array>;
      try {
        next = await chunks.next();
      } catch (error) {
        this.failure = error;
        throw error;
      }
      if (next.done) return;
      yield next.value;
    }
  }
}

/** A body that outlives its request: to be read to its end once, or ended by its iterator's `return`. */
export class OpenBody implements AsyncIterable<Uint8Array> {
  readonly #body: ResponseBody;
  readonly #chunks: AsyncGenerator<Uint8Array>;
  readonly #explain: (failure: unknown) => unknown;

  constructor(body: ResponseBody, explain: (failure: unknown) => unknown) {
    this.#body = body;
    this.#chunks = new WatchedBody(body).chunks();
    this.#explain = explain;
  }

  // A generator would not do: one that was never asked for a piece ignores `return`.
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        try {
          return await this.#chunks.next();
        } catch (failure) {
          throw this.#explain(failure);
        }
      },
      return: async () => {
        this.#body.destroy();
        return { done: true, value: undefined };
      },
    };
  }
}

/** The first bytes, or as many as arrive. */
export async function beginningOf(body: ResponseBody): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      pieces.push(piece);
      length += piece.length;
      if (length >= EXCERPT_BYTES) break; // which destroys the rest
    }
  } catch {
    // what arrived is enough for a message
  }
  return Buffer.concat(pieces).subarray(0, EXCERPT_BYTES);
}

/** Ends an answer that is not read on. */
export async function discard(body: ResponseBody): Promise<void> {
  if (!body.destroyed) await body.dump({ limit: DUMPED_BYTES }).catch(() => {});
}
