// The transport over uWebSockets: passes requests to the service as views, writes replies to
// sockets, and keeps their lifetimes. A native request dies when its handler returns; a native
// response dies when it is ended or aborted.

import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks'; // the global of that name is a getter, slower than the clock
import type { BodyWanted } from '../handled.ts';
import type { RequestObserver } from '../observer.ts';
import type { Reply } from '../replies/responses.ts';
import type { Ticket, Work } from '../work/work-queue.ts';
import type { Exchange, Exchanges } from './exchanges.ts';
import { holdBytes } from './held-bytes.ts';
import { IncomingBody } from './incoming-body.ts';
import { Ledger } from './ledger.ts';
import type { Native } from './native.ts';
import { PeerAddresses } from './peer-addresses.ts';
import { PipelineGuard } from './pipelines.ts';
import { headOf } from './reply-head.ts';
import { LIST_HEADERS, type RequestView } from './request-view.ts';
import {
  LARGE_BYTES,
  type SentReply,
  type ServingSide,
  type SlowObserver,
  type Transport,
  type TransportOptions,
} from './transport.ts';
import { SLICE_BYTES, sendDownload } from './uws-download.ts';

/** Reads fields only when they are needed: every access to the native request is a native call. */
class NativeRequestView implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly #response: HttpResponse;
  readonly #request: HttpRequest;
  readonly #peers: PeerAddresses;
  #query: string | undefined;
  /** The name of each line, and then its value. */
  #lines: readonly string[] | undefined;

  constructor(response: HttpResponse, request: HttpRequest, method: string, peers: PeerAddresses) {
    this.#response = response;
    this.#request = request;
    this.#peers = peers;
    this.method = method;
    this.path = request.getUrl();
  }

  get query(): string {
    // Undefined without a question mark, whatever its type says.
    this.#query ??= this.#request.getQuery() ?? '';
    return this.#query;
  }

  get address(): string {
    return this.#peers.of(this.#response);
  }

  header(name: string, enough?: string): string {
    const first = this.#request.getHeader(nativeName(name));
    return first !== '' && first !== enough && LIST_HEADERS.has(name) ? this.list(name) : first;
  }

  list(name: string): string {
    if (this.#lines === undefined) {
      const lines: string[] = [];
      // `getHeader` knows the first line only, which is the client's own where a proxy adds another.
      this.#request.forEach((key, value) => {
        lines.push(key, value);
      });
      this.#lines = lines;
    }
    const lines = this.#lines;
    let list: string | undefined;
    for (let i = 0; i < lines.length; i += 2)
      if (lines[i] === name) list = list === undefined ? lines[i + 1] : `${list}, ${lines[i + 1]}`;
    return list ?? '';
  }
}

const NATIVE_NAMES = new Map<string, ArrayBuffer>();

/** As bytes, which the addon reads in half the time of a text. Only our code names headers. */
function nativeName(name: string): ArrayBuffer {
  let bytes = NATIVE_NAMES.get(name);
  if (bytes === undefined) {
    bytes = new Uint8Array(Buffer.from(name)).buffer;
    NATIVE_NAMES.set(name, bytes);
  }
  return bytes;
}

/**
 * Bodies up to this size are handed to the addon whole, which saves a quarter of all that it does for a
 * request. If the socket takes nothing more, because the client sends requests without reading replies,
 * the addon keeps such bodies beside our limits and goes on: `end()` hides backpressure. So one reply in
 * SOUNDED, at random, uses `tryEnd()` to notice it: then the connection waits, or is closed with the next
 * request. A client that does this on purpose gets the addon to keep 16 KiB on average, and once in 10^14
 * times half a megabyte.
 */
const SMALL_BYTES = 4 << 10;
const SOUNDED = 4;

/** What a target cannot contain. The addon lets bytes above 126 pass, which Node's parser refuses. */
const NOT_IN_TARGET = /[^!-~]/;
/**
 * The addon can close a connection only after a reply that it buffers whole; after
 * a larger one the client closes.
 */
const MAX_CLOSING_BYTES = 64 << 10;

export class UwsTransport implements Transport {
  readonly #app: TemplatedApp;
  readonly #service: ServingSide;
  readonly #native: Native;
  readonly #ledger: Ledger;
  readonly #host: string;
  // Of the ledger: every request needs them.
  readonly #exchanges: Exchanges;
  readonly #observer: RequestObserver;
  readonly #onReply: TransportOptions['onReply'];
  readonly #slow: SlowObserver;
  readonly #pipelines = new PipelineGuard();
  readonly #peers = new PeerAddresses();
  #connectionCount = 0;
  /** Never 0. */
  #random = randomInt(1, 2 ** 32) | 0;
  #isDraining = false;
  #listener: us_listen_socket | undefined;
  #port: number;

  constructor(native: Native, options: TransportOptions) {
    const { service, host, port } = options;
    const app = native.App();
    this.#native = native;
    this.#app = app;
    this.#service = service;
    this.#host = host;
    this.#port = port;
    const ledger = new Ledger(options);
    this.#ledger = ledger;
    this.#exchanges = ledger.exchanges;
    this.#observer = ledger.observer;
    this.#onReply = ledger.onReply;
    this.#slow = ledger.slow;
    app.filter((res, change) => this.#count(res, change));
    // A handler per common method: reading the method from the native request
    // costs as much as reading a header.
    app.get('/*', (res, req) => this.#answer(res, req, 'GET'));
    app.head('/*', (res, req) => this.#answer(res, req, 'HEAD'));
    app.post('/*', (res, req) => this.#answer(res, req, 'POST'));
    app.any('/*', (res, req) => this.#answer(res, req, req.getMethod().toUpperCase()));
  }

  get port(): number {
    return this.#port;
  }

  get pendingBytes(): number {
    return this.#exchanges.heldBytes;
  }

  async startListening(): Promise<void> {
    if (this.#listener !== undefined) return;
    await new Promise<void>((resolve, reject) => {
      this.#app.listen(this.#host, this.#port, (socket) => {
        const address = `${this.#host}:${this.#port}`;
        if (socket === false) {
          reject(new Error(`cannot listen on ${address}: the port is taken or not allowed`));
          return;
        }
        const port = this.#native.us_socket_local_port(socket);
        if (this.#port !== 0 && port !== this.#port) {
          this.#native.us_listen_socket_close(socket);
          reject(new Error(`cannot listen on ${address}: got port ${port} instead; give an address as host`));
          return;
        }
        this.#listener = socket;
        this.#port = port;
        resolve();
      });
    });
  }

  stopListening(): void {
    if (this.#listener === undefined) return;
    this.#native.us_listen_socket_close(this.#listener);
    this.#listener = undefined;
  }

  drain(): void {
    this.#isDraining = true;
  }

  idle(patienceMs = 0): Promise<void> {
    return this.#ledger.idle(() => this.#connectionCount, patienceMs);
  }

  close(): void {
    this.stopListening();
    this.#ledger.close();
    this.#app.close();
  }

  /** `change` is 1 for an opened connection and -1 for a closed one. */
  #count(res: HttpResponse, change: number): void {
    this.#connectionCount += change;
    if (change < 0) {
      this.#observer.disconnected();
      return;
    }
    this.#observer.connected();
    if (this.#connectionCount > this.#ledger.limits.maxConnections) res.close();
  }

  #answer(res: HttpResponse, req: HttpRequest, method: string): void {
    const startMs = performance.now();
    const view = new NativeRequestView(res, req, method, this.#peers);
    if (!this.#isTarget(view)) {
      res.writeStatus('400 Bad Request').end();
      return;
    }
    if (this.#pipelines.isSample() && this.#pipelines.isTooMany(view.address, this.#connectionCount)) {
      // Closes when the replies before it are out; 16 KiB of replies to what follows may still be made.
      res.writeStatus('503 Service Unavailable').end('', true);
      return;
    }
    this.#observer.started();
    const result = this.#service.handle(view);
    const { path } = view;
    if (!('kind' in result)) this.#send(res, result, method, path, startMs);
    else if (result.kind === 'work')
      this.#await(res, this.#exchanges.open(res), result, method, path, startMs);
    else this.#collect(res, result, Number(req.getHeader('content-length')), path, startMs);
  }

  #isTarget({ path, query }: RequestView): boolean {
    const isPath = this.#service.remembers?.(path) === true || !NOT_IN_TARGET.test(path);
    return isPath && (query === '' || !NOT_IN_TARGET.test(query));
  }

  /** Waits for a body and never holds more than its limit. */
  #collect(
    res: HttpResponse,
    wanted: BodyWanted,
    announcedBytes: number,
    path: string,
    startMs: number,
  ): void {
    if (announcedBytes > wanted.maxBytes) {
      this.#send(res, wanted.tooLarge(), 'POST', path, startMs);
      return;
    }
    const exchange = this.#exchanges.open(res, wanted.caller);
    const body = new IncomingBody(wanted.maxBytes);
    res.onAborted(() => this.#ledger.abandon(exchange));
    res.onData((chunk, isLast) => {
      if (!this.#exchanges.has(exchange)) return; // already refused
      const bytes = new Uint8Array(chunk);
      const growth = body.growthFor(bytes);
      const isFitting = body.fits(bytes);
      if (!isFitting || !this.#ledger.hasRoomFor(wanted.caller, growth)) {
        this.#exchanges.forget(exchange);
        const reply = isFitting ? wanted.overloaded() : wanted.tooLarge();
        res.cork(() => this.#sendLast(res, reply, path, startMs));
        return;
      }
      if (!body.add(bytes)) {
        res.close();
        return;
      }
      this.#exchanges.hold(exchange, growth);
      if (isLast) this.#await(res, exchange, wanted.work(body.bytes()), 'POST', path, startMs);
    });
  }

  /**
   * Refuses a body that has not arrived whole: nobody knows how much is still to come, so the connection is
   * closed. The reply is lost where the client has sent more than was read.
   */
  #sendLast(res: HttpResponse, reply: Reply, path: string, startMs: number): void {
    const { about, body, status } = reply;
    res.writeStatus(headOf(reply)).end(body, true); // adds the header
    const sent = { method: 'POST', about, status, tookMs: performance.now() - startMs };
    if (sent.tookMs > this.#slow.thresholdMs) this.#slow.note(sent, path);
    this.#ledger.ended(sent, Buffer.byteLength(body), true);
  }

  /** Replies when it is the work's turn. The exchange is open until then. */
  #await(
    res: HttpResponse,
    exchange: Exchange,
    work: Work,
    method: string,
    path: string,
    startMs: number,
  ): void {
    let ticket: Ticket | undefined;
    res.onAborted(() => {
      ticket?.cancel();
      this.#ledger.abandon(exchange);
    });
    ticket = this.#ledger.works.add(work, (reply) => {
      this.#exchanges.forget(exchange);
      res.cork(() => this.#send(res, reply, method, path, startMs));
    });
  }

  /** Requires: corked, as every handler is when it starts. */
  #send(res: HttpResponse, reply: Reply, method: string, path: string, startMs: number): void {
    const sent = this.#isDraining
      ? this.#endLast(res, reply, method)
      : this.#end(res.writeStatus(headOf(reply)), reply, method);
    const tookMs = performance.now() - startMs;
    const { about, status } = reply;
    if (tookMs > this.#slow.thresholdMs) this.#slow.note({ method, about, status, tookMs }, path);
    if (typeof sent === 'object') {
      const rest = { method, about, status, tookMs };
      if (reply.isImmutable) this.#sendDownload(res, sent, rest);
      else this.#sendRest(res, sent, rest);
      return;
    }
    this.#observer.ended(about.label, status, tookMs, sent);
    this.#onReply?.({ method, about, status, tookMs }, sent, true);
  }

  /** Ends the reply. Returns the bytes of body sent, or the body if the socket did not take all of it. */
  #end(res: HttpResponse, { status, body: text, isImmutable }: Reply, method: string): number | Uint8Array {
    if (status === 304 || status === 204) {
      res.endWithoutBody();
      return 0;
    }
    if (text.length <= SMALL_BYTES && method !== 'HEAD' && !this.#isSounded()) {
      const length = typeof text === 'string' ? Buffer.byteLength(text) : text.length;
      res.end(text);
      return length;
    }
    const body = typeof text === 'string' ? Buffer.from(text) : text;
    if (method === 'HEAD') {
      // Given the length, this build would wait for a body of that length.
      res.writeHeader('Content-Length', String(body.length)).endWithoutBody();
      return 0;
    }
    if (isImmutable && body.length > SLICE_BYTES) return body;
    const [isSent] = res.tryEnd(body, body.length);
    // The buffer that it was built in.
    if (body.length > LARGE_BYTES) this.#exchanges.countReleased(body.length);
    return isSent ? body.length : body;
  }

  /** Marsaglia's xorshift: fast, and not to be foreseen by a client. */
  #isSounded(): boolean {
    let random = this.#random;
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    this.#random = random;
    return (random & (SOUNDED - 1)) === 0;
  }

  /** Ends the last reply of a connection, and returns what `#end` does. */
  #endLast(res: HttpResponse, reply: Reply, method: string): number | Uint8Array {
    const { body, status } = reply;
    const head = headOf(reply);
    // Closing before a request's body has arrived could lose the reply, so only requests
    // without a body are closed here.
    if (method === 'GET' && status !== 304 && body.length <= MAX_CLOSING_BYTES) {
      res.writeStatus(head).end(body, true); // adds the header
      return Buffer.byteLength(body);
    }
    return this.#end(res.writeStatus(head).writeHeader('Connection', 'close'), reply, method);
  }

  // A method of its own: a closure in `#send` would cost every request memory for what it refers to.
  #sendDownload(res: HttpResponse, body: Uint8Array, reply: SentReply): void {
    sendDownload(res, body, this.#exchanges, (takenBytes, isWhole) =>
      this.#ledger.ended(reply, takenBytes, isWhole),
    );
  }

  /** Keeps the bytes that the socket did not take, and sends them as the client reads. */
  #sendRest(res: HttpResponse, body: Uint8Array, reply: SentReply): void {
    const totalBytes = body.length;
    const sent = res.getWriteOffset();
    const restBytes = totalBytes - sent;
    if (restBytes > this.#ledger.limits.maxPendingBytes || !this.#ledger.hasRoom(restBytes)) {
      res.close();
      this.#ledger.ended(reply, sent, false);
      return;
    }
    const rest = holdBytes(body, sent); // a copy: the body's buffer belongs to the next reply
    const exchange = this.#exchanges.open(res);
    this.#exchanges.hold(exchange, restBytes);
    let takenBytes = sent;
    res.onAborted(() => {
      if (this.#exchanges.forget(exchange)) this.#ledger.ended(reply, takenBytes, false);
    });
    res.onWritable((offset) => {
      takenBytes = offset;
      const [isSent, isDone] = res.tryEnd(rest.subarray(offset - sent), totalBytes);
      if (isDone && this.#exchanges.forget(exchange)) this.#ledger.ended(reply, totalBytes, true);
      return isSent;
    });
  }
}
