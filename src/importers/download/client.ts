// The HTTP client of the importers: sends a request until an answer is final, within limits for attempts, waits and
// bytes. connect.ts makes the connections, retry.ts decides when to try again. Headers that were given for one origin
// never reach another.

import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { Connections } from './connect.ts';
import { excerpt, HttpError, shownUrl } from './http-error.ts';
import type { Environment } from './proxy.ts';
import { backoffMs, DEFAULT_RETRIES, isPassing, type RetryPolicy, retryAfterMs } from './retry.ts';

export interface HttpClientOptions {
  /** Certificates in PEM to trust besides the usual ones. */
  readonly caFile?: string | undefined;
  /** Where the proxies are named; the process's own by default. */
  readonly environment?: Environment;
  readonly retries?: Partial<RetryPolicy>;
  /** Texts that no message may show, such as keys. */
  readonly secrets?: readonly string[];
  /** Gets one line before each wait: what happened, and how long it is. */
  readonly onWait?: (line: string) => void;
  readonly signal?: AbortSignal;
  readonly nowMs?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

export interface HttpRequest {
  readonly method?: 'GET' | 'POST';
  /** Lower-case names. Sent to the origin of the URL only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether a redirect may lead to another origin, where none of the headers is sent. */
  readonly mayLeaveOrigin?: boolean;
}

/** The head of a final answer: a success or 304. */
export interface HttpHead {
  /** Where it came from in the end. */
  readonly url: URL;
  readonly status: number;
  /** By lower-case name; the first of several values. */
  header(name: string): string | undefined;
}

export interface HttpAnswer extends HttpHead {
  readonly body: Buffer;
}

const MAX_REDIRECTS = 5;
/** Read of an answer that is only shown. */
const EXCERPT_BYTES = 4096;
const USER_AGENT = 'vulndex';

/** What one attempt ended with. */
type Attempt<Result> =
  | { readonly kind: 'final'; readonly result: Result }
  | { readonly kind: 'again'; readonly error: HttpError; readonly askedMs: number | undefined };

export class HttpClient {
  readonly #connections: Connections;
  readonly #retries: RetryPolicy;
  readonly #secrets: readonly string[];
  readonly #onWait: (line: string) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #nowMs: () => number;
  readonly #wait: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;

  /** Throws SourceError if the file of certificates has none. */
  constructor(options: HttpClientOptions = {}) {
    this.#connections = new Connections(options.caFile, options.environment ?? process.env);
    this.#retries = { ...DEFAULT_RETRIES, ...options.retries };
    this.#secrets = options.secrets ?? [];
    this.#onWait = options.onWait ?? (() => {});
    this.#signal = options.signal;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#wait = options.wait ?? ((ms, signal) => sleep(ms, undefined, signal ? { signal } : {}));
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** A success or 304 with its whole body, of at most `maxBytes`. Throws HttpError. */
  fetch(url: URL, maxBytes: number, asked: HttpRequest = {}): Promise<HttpAnswer> {
    const headers = { ...asked.headers, 'accept-encoding': 'gzip' };
    return this.stream(url, { ...asked, headers }, async (head, body) => {
      const bytes = await this.#readWhole(head, body, maxBytes);
      return { ...head, body: bytes };
    });
  }

  /**
   * The same for an answer that `take` reads piece by piece; called again if the connection fails while it does. Its own
   * errors end the request.
   */
  async stream<Result>(
    url: URL,
    asked: HttpRequest,
    take: (head: HttpHead, body: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    requireWebUrl(url);
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(url, asked, take);
      if (outcome.kind === 'final') return outcome.result;
      const { error, askedMs } = outcome;
      if (attempt >= this.#retries.attempts) {
        const { code, status, cause } = error;
        throw new HttpError(
          code,
          `${error.message}; this was attempt ${attempt}, try again later`,
          status,
          cause,
        );
      }
      const waitMs = askedMs ?? backoffMs(this.#retries, attempt, Math.random());
      if (waitMs > this.#retries.maxRetryAfterMs) {
        const seconds = Math.ceil(waitMs / 1000);
        throw new HttpError(
          'busy',
          `${error.message}; the server asks to wait ${seconds} s, run the command again after that`,
          error.status,
        );
      }
      this.#onWait(`${error.message}; trying again in ${(waitMs / 1000).toFixed(1)} s`);
      await this.#wait(waitMs, this.#signal);
    }
  }

  async #attempt<Result>(
    url: URL,
    asked: HttpRequest,
    take: (head: HttpHead, body: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Attempt<Result>> {
    const method = asked.method ?? 'GET';
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const what = `${method} ${shownUrl(target)}`;
      const isHome = target.origin === url.origin;
      let response: Dispatcher.ResponseData;
      try {
        response = await request(target, {
          method,
          dispatcher: this.#connections.to(target),
          headers: { 'user-agent': USER_AGENT, ...(isHome ? asked.headers : {}) },
          body: asked.body ?? null,
          signal: this.#signal ?? null,
        });
      } catch (error) {
        return this.#failed(what, error);
      }
      const head = headOf(target, response);
      const location = head.header('location');
      if (isRedirect(head.status) && location !== undefined) {
        await discard(response);
        target = this.#redirected(what, target, location, url, asked, redirects);
        continue;
      }
      if (head.status === 304 || (head.status >= 200 && head.status < 300)) {
        const watched = new WatchedBody(response.body);
        try {
          return { kind: 'final', result: await take(head, watched.chunks()) };
        } catch (error) {
          if (watched.failure === undefined || error !== watched.failure) throw error;
          return this.#failed(what, error);
        } finally {
          await discard(response);
        }
      }
      const error = await this.#refused(what, head, response);
      if (!isPassing(head.status)) throw error;
      return { kind: 'again', error, askedMs: retryAfterMs(head.header('retry-after'), this.#nowMs()) };
    }
  }

  /** Throws HttpError for what another attempt would not change. */
  #failed(what: string, error: unknown): Attempt<never> {
    if (this.#signal?.aborted) throw this.#signal.reason;
    const cause = innermost(error);
    const { code = '', message } = cause;
    const reason = this.#redacted(code === '' || message.includes(code) ? message : `${message}, ${code}`);
    if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code)) {
      const remedy = 'if the certificate is right, name the file of its authority with --ca';
      throw new HttpError(
        'untrusted',
        `${what}: the certificate is not trusted (${reason}); ${remedy}`,
        undefined,
        error,
      );
    }
    if (code === 'ENOTFOUND') {
      const problem = `${what}: no such host (${reason}); check the URL`;
      throw new HttpError('unreachable', problem, undefined, error);
    }
    const failure = new HttpError('unreachable', `${what}: no answer (${reason})`, undefined, error);
    return { kind: 'again', error: failure, askedMs: undefined };
  }

  async #refused(what: string, head: HttpHead, response: Dispatcher.ResponseData): Promise<HttpError> {
    const beginning = await beginningOf(response);
    const type = head.header('content-type') ?? 'no content type';
    const text = excerpt(beginning, this.#secrets);
    const shown = text === '' ? 'an empty answer' : text;
    const remedy = REMEDIES.get(head.status) ?? '';
    return new HttpError(
      'status',
      `${what}: status ${head.status} (${type}): ${shown}${remedy}`,
      head.status,
    );
  }

  #redirected(
    what: string,
    from: URL,
    location: string,
    home: URL,
    asked: HttpRequest,
    redirects: number,
  ): URL {
    const refuse = (problem: string): HttpError => new HttpError('redirect', `${what}: ${problem}`);
    if (!URL.canParse(location, from.href)) throw refuse('redirects to what is not a URL');
    const target = new URL(location, from.href);
    const shown = shownUrl(target);
    if (redirects >= MAX_REDIRECTS)
      throw refuse(`more than ${MAX_REDIRECTS} redirects, the last to ${shown}`);
    if (asked.method === 'POST') throw refuse(`redirects a POST to ${shown}; use the URL that it leads to`);
    if (!/^https?:$/.test(target.protocol)) throw refuse(`redirects to ${shown}, which is not a web address`);
    if (from.protocol === 'https:' && target.protocol === 'http:') {
      throw refuse(`redirects from https to ${shown}, which is not encrypted`);
    }
    if (target.origin !== home.origin && asked.mayLeaveOrigin !== true) {
      throw refuse(`redirects to another server, ${shown}; if that is right, use its URL`);
    }
    return target;
  }

  async #readWhole(head: HttpHead, body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
    const tooLarge = (): HttpError => {
      const problem = `GET ${shownUrl(head.url)}: the answer has more than ${maxBytes} bytes; check the URL`;
      return new HttpError('too-large', problem, head.status);
    };
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
      const problem = `GET ${shownUrl(head.url)}: the answer is encoded as ${encoding}, which was not asked for`;
      throw new HttpError('unusable', problem, head.status);
    }
    try {
      return gunzipSync(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      const problem = `GET ${shownUrl(head.url)}: the gzip content is damaged (${(error as Error).message})`;
      throw new HttpError('unusable', problem, head.status, error);
    }
  }

  #redacted(text: string): string {
    return this.#secrets.reduce(
      (shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '[secret]')),
      text,
    );
  }
}

const REMEDIES: ReadonlyMap<number, string> = new Map([
  [401, '; check the key'],
  [403, '; the key may not ask this'],
  [404, '; check the URL'],
  [407, '; the proxy asks for a password, which its URL may contain'],
]);

/** Passes a body on and remembers whether it was the connection that failed. */
class WatchedBody {
  readonly #body: Dispatcher.ResponseData['body'];
  failure: unknown;

  constructor(body: Dispatcher.ResponseData['body']) {
    this.#body = body;
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

function headOf(url: URL, { statusCode, headers }: Dispatcher.ResponseData): HttpHead {
  return {
    url,
    status: statusCode,
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
  };
}

async function beginningOf({ body }: Dispatcher.ResponseData): Promise<Buffer> {
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

/** Ends an answer that is not read on, so that its connection is free. */
async function discard({ body }: Dispatcher.ResponseData): Promise<void> {
  if (!body.destroyed) await body.dump({ limit: 64 * 1024 }).catch(() => {});
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

function requireWebUrl(url: URL): void {
  if (!/^https?:$/.test(url.protocol)) {
    throw new HttpError('unusable', `${shownUrl(url)}: this is not an http or https URL`);
  }
}

interface Failure {
  readonly message: string;
  readonly code?: string | undefined;
}

/** The first cause that has a code, else the error itself. */
function innermost(error: unknown): Failure {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { code } = inner as NodeJS.ErrnoException;
    if (inner instanceof AggregateError && inner.errors.length > 0) return innermost(inner.errors[0]);
    if (code !== undefined) return { message: inner.message, code };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
