// The HTTP client: sends a request until an answer is final, within limits for attempts,
// waits, bytes and time. connect.ts makes the connections, retry.ts decides when to try again. Headers that
// were given for one origin never reach another.

import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { beginningOf, discard, type HttpHead, OpenBody, readWhole, WatchedBody } from './body.ts';
import { Connections, SYSTEM_ADDRESSES } from './connect.ts';
import { excerpt, HttpError, secretsIn, shownUrl } from './http-error.ts';
import { type Addresses, isAtPrivateAddress, literalAddress, PRIVATE_CODE } from './private-address.ts';
import type { Environment } from './proxy.ts';
import { type HttpMethod, isRedirect, targetOf } from './redirect.ts';
import { backoffMs, DEFAULT_RETRIES, isPassing, type RetryPolicy, retryAfterMs } from './retry.ts';

export interface HttpClientOptions {
  /** Certificates in PEM to trust besides the usual ones. */
  readonly caFile?: string | undefined;
  /** Where the proxies are named; the process's own by default. */
  readonly environment?: Environment;
  /** Those of the system by default. */
  readonly addresses?: Addresses;
  readonly retries?: Partial<RetryPolicy>;
  /** Texts that no message may show, such as keys. */
  readonly secrets?: readonly string[];
  /** Gets one line before each wait: what happened, and how long it is. */
  readonly onWait?: (line: string) => void;
  /** Until `close`, for all requests and waits together: a server can send a byte now and then for ever. */
  readonly maxMs?: number;
  readonly signal?: AbortSignal;
  readonly nowMs?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export interface HttpRequest {
  readonly method?: HttpMethod;
  /** Lower-case names. Sent to the origin of the URL only, and not after a redirect has left it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Lower-case names. Sent to whatever server a redirect leads to, so nothing secret. */
  readonly openHeaders?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Called for each attempt, instead of `body`; its length is a header. */
  readonly openBody?: () => Readable;
  /** Whether a redirect may lead to another origin, where none of the headers is sent. */
  readonly mayLeaveOrigin?: boolean;
  /** Statuses that are an answer too, beside a success and 304. */
  readonly answers?: readonly number[];
  /** Ends this request, in place of the client's own signal. */
  readonly signal?: AbortSignal;
}

export interface HttpAnswer extends HttpHead {
  readonly body: Buffer;
}

const USER_AGENT = 'vulndex';
/** Node runs a timer for longer than this at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The head of an answer, and its body as it arrives: to be read to its end, or ended by its `return`. */
export interface OpenAnswer {
  readonly head: HttpHead;
  /** Throws HttpError. */
  readonly body: AsyncIterable<Uint8Array>;
}

interface Failed {
  readonly kind: 'again';
  readonly error: HttpError;
  readonly askedMs: number | undefined;
}

interface Answered {
  readonly kind: 'answered';
  readonly what: string;
  readonly head: HttpHead;
  readonly response: Dispatcher.ResponseData;
}

/** What one attempt ended with. */
type Attempt<Result> = { readonly kind: 'final'; readonly result: Result } | Failed;

export class HttpClient {
  readonly #connections: Connections;
  readonly #addresses: Addresses;
  readonly #retries: RetryPolicy;
  readonly #secrets: readonly string[];
  readonly #onWait: (line: string) => void;
  readonly #signal: AbortSignal;
  readonly #tooLate = new AbortController();
  readonly #deadline: NodeJS.Timeout | undefined;
  readonly #nowMs: () => number;
  readonly #wait: (ms: number, signal: AbortSignal) => Promise<unknown>;

  /** Throws SourceError if the file of certificates has none. */
  constructor(options: HttpClientOptions = {}) {
    this.#addresses = options.addresses ?? SYSTEM_ADDRESSES;
    const environment = options.environment ?? process.env;
    this.#connections = new Connections(options.caFile, environment, this.#addresses);
    this.#retries = { ...DEFAULT_RETRIES, ...options.retries };
    this.#secrets = options.secrets ?? [];
    this.#onWait = options.onWait ?? (() => {});
    const { maxMs, signal } = options;
    this.#signal = AbortSignal.any([this.#tooLate.signal, ...(signal === undefined ? [] : [signal])]);
    if (maxMs !== undefined) {
      const end = (): void => this.#tooLate.abort(`not complete after ${maxMs / 1000} s`);
      this.#deadline = setTimeout(end, Math.min(maxMs, MAX_TIMER_MS)).unref();
    }
    this.#nowMs = options.nowMs ?? Date.now;
    this.#wait = options.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  }

  async close(): Promise<void> {
    clearTimeout(this.#deadline);
    await this.#connections.close();
  }

  /** A success or 304 with its whole body, of at most `maxBytes`. Throws HttpError. */
  fetch(url: URL, maxBytes: number, asked: HttpRequest = {}): Promise<HttpAnswer> {
    const openHeaders = { ...asked.openHeaders, 'accept-encoding': 'gzip' };
    return this.stream(url, { ...asked, openHeaders }, async (head, body) => {
      const bytes = await readWhole(head, body, maxBytes);
      return { ...head, body: bytes };
    });
  }

  /**
   * What `take` makes of a success or 304, whose body it reads piece by piece; called again if the connection
   * fails while it does. Its own errors end the request.
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
          `${error.message}; the server asks to wait ${seconds} s; run the command again after that`,
          error.status,
        );
      }
      this.#onWait(`${error.message}; trying again in ${(waitMs / 1000).toFixed(1)} s`);
      const signal = asked.signal ?? this.#signal;
      await this.#wait(waitMs, signal).catch((interruption: unknown) => {
        throw signal.aborted ? this.#interruption(shownUrl(url), asked) : interruption;
      });
    }
  }

  /** One attempt, whose body the caller reads. Throws HttpError. */
  async open(url: URL, asked: HttpRequest = {}): Promise<OpenAnswer> {
    requireWebUrl(url);
    const answered = await this.#ask(url, asked);
    if (answered.kind === 'again') throw answered.error;
    const { what, head, response } = answered;
    const body = new OpenBody(response.body, (failure) => this.#failed(what, failure, asked).error);
    return { head, body };
  }

  async #attempt<Result>(
    url: URL,
    asked: HttpRequest,
    take: (head: HttpHead, body: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Attempt<Result>> {
    const answered = await this.#ask(url, asked);
    if (answered.kind === 'again') return answered;
    const { what, head, response } = answered;
    const watched = new WatchedBody(response.body);
    try {
      return { kind: 'final', result: await take(head, watched.chunks()) };
    } catch (error) {
      response.body.destroy(); // half read: to wait for its end would be to wait for ever
      if (watched.failure === undefined || error !== watched.failure) throw error;
      return this.#failed(what, error, asked);
    } finally {
      await discard(response.body);
    }
  }

  /** Sends the request, and follows redirects to an answer that is wanted. */
  async #ask(url: URL, asked: HttpRequest): Promise<Answered | Failed> {
    const method = asked.method ?? 'GET';
    let target = url;
    let isHome = true; // until a redirect leaves: back from there, the other server has chosen the path
    let isPublicOnly = false;
    for (let redirects = 0; ; redirects++) {
      const what = `${method} ${shownUrl(target)}`;
      isHome &&= target.origin === url.origin;
      let response: Dispatcher.ResponseData;
      try {
        response = await request(target, {
          method,
          dispatcher: this.#connections.to(target, isPublicOnly),
          headers: { 'user-agent': USER_AGENT, ...asked.openHeaders, ...(isHome ? asked.headers : {}) },
          body: asked.openBody?.() ?? asked.body ?? null,
          signal: asked.signal ?? this.#signal,
        });
      } catch (error) {
        return this.#failed(what, error, asked);
      }
      const head = headOf(target, response);
      const { status } = head;
      const location = head.header('location');
      if (isRedirect(status) && location !== undefined) {
        await discard(response.body);
        target = targetOf({
          what,
          method,
          from: target,
          location,
          home: url.origin,
          mayLeaveOrigin: asked.mayLeaveOrigin ?? false,
          followed: redirects,
        });
        isPublicOnly ||= target.origin !== url.origin && !(await isAtPrivateAddress(url, this.#addresses));
        const address = literalAddress(target);
        if (isPublicOnly && address !== undefined && this.#addresses.isPrivate(address)) {
          throw redirectsInside(what, `it leads to ${shownUrl(target)}`);
        }
        continue;
      }
      const isWanted = status === 304 || (status >= 200 && status < 300) || asked.answers?.includes(status);
      if (isWanted) return { kind: 'answered', what, head, response };
      const error = await this.#refused(what, head, response, { home: url.origin, asked });
      if (!isPassing(status)) throw error;
      return { kind: 'again', error, askedMs: retryAfterMs(head.header('retry-after'), this.#nowMs()) };
    }
  }

  #interruption(what: string, { signal }: HttpRequest): unknown {
    if (signal?.aborted) return signal.reason;
    const { aborted, reason } = this.#tooLate.signal;
    if (!aborted) return this.#signal.reason;
    const remedy = 'check the server, or raise --mirror-max-time (max_download_time in a configuration)';
    return new HttpError('too-slow', `${what}: ${reason}; ${remedy}`);
  }

  /** Throws HttpError for what another attempt would not change. */
  #failed(what: string, error: unknown, asked: HttpRequest): Failed {
    if ((asked.signal ?? this.#signal).aborted) throw this.#interruption(what, asked);
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
    if (code === PRIVATE_CODE) throw redirectsInside(what, reason);
    if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_CHAR') {
      const problem = `${what}: it could not be sent (${reason}); check the URL and the headers`;
      throw new HttpError('unusable', problem, undefined, error);
    }
    if (code === 'ENOTFOUND') {
      const problem = `${what}: no such host (${reason}); check the URL`;
      throw new HttpError('unreachable', problem, undefined, error);
    }
    const failure = new HttpError('unreachable', `${what}: no answer (${reason})`, undefined, error);
    return { kind: 'again', error: failure, askedMs: undefined };
  }

  /** Shows the beginning of the answer, unless it is that of a server which `home` alone has chosen. */
  async #refused(
    what: string,
    head: HttpHead,
    response: Dispatcher.ResponseData,
    { home, asked }: { readonly home: string; readonly asked: HttpRequest },
  ): Promise<HttpError> {
    const beginning = await beginningOf(response.body);
    const type = head.header('content-type') ?? 'no content type';
    const repeatsRequest = asked.headers !== undefined || asked.body !== undefined;
    const text = excerpt(beginning, [...this.#secrets, ...secretsIn(head.url)], { repeatsRequest });
    const answer = text === '' ? 'an empty answer' : text;
    const shown = head.url.origin === home ? answer : 'an answer of another server, which is not shown';
    const remedy = REMEDIES.get(head.status) ?? '';
    return new HttpError(
      'status',
      `${what}: status ${head.status} (${type}): ${shown}${remedy}`,
      head.status,
    );
  }

  #redacted(text: string): string {
    return this.#secrets.reduce(
      (shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '[secret]')),
      text,
    );
  }
}

function redirectsInside(what: string, problem: string): HttpError {
  const remedy = 'if that is right, use a URL at a private address itself';
  return new HttpError(
    'redirect',
    `${what}: a redirect to a private address is refused (${problem}); ${remedy}`,
  );
}

const REMEDIES: ReadonlyMap<number, string> = new Map([
  [401, '; check the key'],
  [403, '; the key does not allow this request'],
  [404, '; check the URL'],
  [407, '; the proxy wants a password, which can be part of its URL'],
]);

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
