// The body of an answer: whole within a limit, piece by piece, or only its beginning.

import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
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

type ResponseBody = Dispatcher.ResponseData['body'];

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
  if (bytes.length === 0 || codingOf(head) === 'identity') return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : damaged(head, error);
  }
}

/** A body piece by piece, inflated if it is gzip. Throws HttpError, and what the body throws. */
export async function* readDecoded(
  head: HttpHead,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (codingOf(head) === 'identity') {
    yield* body;
    return;
  }
  let failure: { readonly error: unknown } | undefined; // of the body: whether to try again depends on it
  const gunzip = createGunzip();
  const feeding = pipeline(async function* () {
    try {
      yield* body;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }, gunzip);
  feeding.catch(() => {}); // the loop below throws the same error
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    throw failure === undefined ? damaged(head, error) : failure.error;
  }
}

/** How the body is encoded. Throws HttpError for a coding that is not known. */
function codingOf(head: HttpHead): 'identity' | 'gzip' {
  const coding = head.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  const problem = `${shownUrl(head.url)}: the answer is encoded as ${coding}, which was not asked for`;
  throw new HttpError(
    'unusable',
    `${problem}; expected gzip or no encoding: check the server or the URL`,
    head.status,
  );
}

function damaged(head: HttpHead, error: unknown): HttpError {
  const problem = `${shownUrl(head.url)}: the gzip content is damaged (${(error as Error).message})`;
  return new HttpError('unusable', problem, head.status, error);
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
