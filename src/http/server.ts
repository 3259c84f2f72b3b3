// The only file that touches uWebSockets: requests as views, replies onto sockets, and the lifetimes in between.
// A native request dies when its handler returns; a native response dies when it is ended or aborted.

import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { performance } from 'node:perf_hooks'; // the global of that name is a getter, slower than the clock
import { holdBytes } from './held-bytes.ts';
import { loadNative } from './native.ts';
import { type RequestObserver, SILENT_OBSERVER } from './observer.ts';
import type { RequestView } from './request-view.ts';
import type { Reply } from './responses.ts';
import type { BodyWanted, Service } from './service.ts';

/** `bufferBytes` is what it puts replies together in, which counts towards what may be held. */
type ServingSide = Pick<Service, 'handle'> & Partial<Pick<Service, 'bufferBytes'>>;

export interface ServerOptions {
  readonly service: ServingSide;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits>;
  readonly observer?: RequestObserver;
  /** Hears of every reply after it was handed to the socket. */
  readonly onReply?: (method: string, reply: Reply, tookMs: number, bodyBytes: number) => void;
  /** Hears when much memory that replies needed has been let go and it is quiet: a good time to collect garbage. */
  readonly onRelief?: () => void;
}

/** What one client may hold on to. */
export interface ServerLimits {
  /** Most bytes kept for one connection that reads slower than we write. */
  readonly maxPendingBytes: number;
  /** Most bytes kept for all of them together, bodies that are awaited and what replies are put together in too. */
  readonly maxTotalPendingBytes: number;
  /** Longest a reply may take to leave, and a body to arrive. */
  readonly exchangeTimeoutMs: number;
  /** Most open connections; one more is closed as soon as it is there. */
  readonly maxConnections: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  maxPendingBytes: 64 << 20,
  maxTotalPendingBytes: 512 << 20,
  exchangeTimeoutMs: 60_000,
  maxConnections: 20_000,
};

/** Reads what is asked for and nothing else: each look into the native request is a call into the native side. */
class NativeRequestView implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, method: string) {
    this.#request = request;
    this.method = method;
    this.path = request.getUrl();
  }

  get query(): string {
    return this.#request.getQuery() ?? ''; // undefined without a question mark, whatever its type says
  }

  header(name: string): string {
    return this.#request.getHeader(name);
  }
}

const SWEEP_MS = 1_000;
const IDLE_POLL_MS = 20;
const LARGE_BYTES = 1 << 20;
const RELIEF_BYTES = 16 << 20;

/** A reply that did not fit into the socket's send buffer, or a body that has not arrived whole. */
interface Exchange {
  readonly res: HttpResponse;
  readonly deadlineMs: number;
  /** Bytes held for it. */
  bytes: number;
}

export class HttpServer {
  readonly #app: TemplatedApp;
  readonly #service: ServingSide;
  readonly #limits: ServerLimits;
  readonly #closeListener: (socket: us_listen_socket) => void;
  readonly #exchanges = new Set<Exchange>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #observer: RequestObserver;
  readonly #onReply: ServerOptions['onReply'];
  #connectionCount = 0;
  #pendingBytes = 0;
  /** Let go since the last relief, and at the last look. */
  #letGoBytes = 0;
  #letGoSeen = 0;
  #listener: us_listen_socket | undefined;
  #port = 0;

  /** Listens, or rejects with what the address was and that it is taken. */
  static async listen(options: ServerOptions): Promise<HttpServer> {
    const native = await loadNative();
    const server = new HttpServer(native.App(), native.us_listen_socket_close, options);
    await new Promise<void>((resolve, reject) => {
      server.#app.listen(options.host, options.port, (socket) => {
        if (socket === false) {
          reject(
            new Error(`cannot listen on ${options.host}:${options.port}: the port is taken or not allowed`),
          );
          return;
        }
        server.#listener = socket;
        server.#port = native.us_socket_local_port(socket);
        resolve();
      });
    });
    return server;
  }

  private constructor(
    app: TemplatedApp,
    closeListener: (socket: us_listen_socket) => void,
    { service, limits, observer, onReply, onRelief }: ServerOptions,
  ) {
    this.#app = app;
    this.#closeListener = closeListener;
    this.#service = service;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#observer = observer ?? SILENT_OBSERVER;
    this.#onReply = onReply;
    this.#sweeper = setInterval(() => {
      this.#sweep();
      if (onRelief !== undefined) this.#relieve(onRelief);
    }, SWEEP_MS);
    this.#sweeper.unref();
    app.filter((res, change) => this.#count(res, change));
    // A handler for each usual method: asking the native request for it costs as much as asking for a header.
    app.get('/*', (res, req) => this.#answer(res, req, 'GET'));
    app.head('/*', (res, req) => this.#answer(res, req, 'HEAD'));
    app.post('/*', (res, req) => this.#answer(res, req, 'POST'));
    app.any('/*', (res, req) => this.#answer(res, req, req.getMethod().toUpperCase()));
  }

  get port(): number {
    return this.#port;
  }

  /** Bytes held for connections that read slower than we write. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Stops accepting connections; those that are open go on. */
  stopListening(): void {
    if (this.#listener === undefined) return;
    this.#closeListener(this.#listener);
    this.#listener = undefined;
  }

  /** Resolves when no reply is on its way and no body is awaited, at the latest when they time out. */
  async idle(): Promise<void> {
    while (this.#exchanges.size > 0) await new Promise((resolve) => setTimeout(resolve, IDLE_POLL_MS));
  }

  /** Closes every connection too. */
  close(): void {
    this.stopListening();
    clearInterval(this.#sweeper);
    this.#app.close();
  }

  /** `change` is 1 for a connection that was opened and -1 for one that is gone. */
  #count(res: HttpResponse, change: number): void {
    this.#connectionCount += change;
    if (change < 0) {
      this.#observer.disconnected();
      return;
    }
    this.#observer.connected();
    if (this.#connectionCount > this.#limits.maxConnections) res.close();
  }

  #answer(res: HttpResponse, req: HttpRequest, method: string): void {
    const startMs = performance.now();
    this.#observer.started();
    const result = this.#service.handle(new NativeRequestView(req, method));
    if ('kind' in result) this.#collect(res, result, Number(req.getHeader('content-length')), startMs);
    else this.#send(res, result, method, startMs);
  }

  /** Waits for a body, never holding more than it may have. */
  #collect(res: HttpResponse, wanted: BodyWanted, announcedBytes: number, startMs: number): void {
    if (announcedBytes > wanted.maxBytes) {
      this.#send(res, wanted.tooLarge(), 'POST', startMs);
      return;
    }
    const exchange = this.#open(res);
    const chunks: Uint8Array[] = [];
    res.onAborted(() => {
      if (this.#forget(exchange)) this.#observer.abandoned();
    });
    res.onData((chunk, isLast) => {
      if (!this.#exchanges.has(exchange)) return; // already answered as too large
      const isTooLarge = exchange.bytes + chunk.byteLength > wanted.maxBytes;
      const bytes = new Uint8Array(chunk);
      if (!isTooLarge && !isLast) {
        if (!this.#hasRoom(bytes.length)) {
          res.close();
          return;
        }
        chunks.push(bytes.slice()); // a copy: the native side takes the chunk back
        this.#hold(exchange, bytes.length);
        return;
      }
      this.#forget(exchange);
      const body = chunks.length === 0 ? bytes : Buffer.concat([...chunks, bytes]);
      const reply = isTooLarge ? wanted.tooLarge() : wanted.finish(body);
      res.cork(() => this.#send(res, reply, 'POST', startMs));
    });
  }

  /** Requires: corked, as the top of a handler is. */
  #send(res: HttpResponse, reply: Reply, method: string, startMs: number): void {
    res.writeStatus(reply.head);
    const bodyBytes = this.#end(res, reply, method);
    const tookMs = performance.now() - startMs;
    this.#observer.ended(reply.about.label, reply.status, tookMs, bodyBytes);
    this.#onReply?.(method, reply, tookMs, bodyBytes);
  }

  /** Ends the reply; returns the bytes of the body that go with it. */
  #end(res: HttpResponse, { status, body: text }: Reply, method: string): number {
    if (status === 304 || status === 204) {
      res.endWithoutBody();
      return 0;
    }
    const body = typeof text === 'string' ? Buffer.from(text) : text;
    if (method === 'HEAD') {
      // Given the length, this build would wait for a body of that length.
      res.writeHeader('Content-Length', String(body.length)).endWithoutBody();
      return 0;
    }
    const [isSent] = res.tryEnd(body, body.length);
    if (!isSent) this.#sendRest(res, body);
    if (body.length > LARGE_BYTES) this.#letGoBytes += body.length; // what it was put together in
    return body.length;
  }

  /** Sends what the socket did not take as the client reads it. */
  #sendRest(res: HttpResponse, body: Uint8Array): void {
    const sent = res.getWriteOffset();
    const restBytes = body.length - sent;
    if (restBytes > this.#limits.maxPendingBytes || !this.#hasRoom(restBytes)) {
      res.close();
      return;
    }
    const rest = holdBytes(body, sent); // a copy: the body's buffer belongs to the next reply
    const exchange = this.#open(res);
    this.#hold(exchange, restBytes);
    res.onAborted(() => {
      this.#forget(exchange);
    });
    res.onWritable((offset) => {
      const [isSent, isDone] = res.tryEnd(rest.subarray(offset - sent), body.length);
      if (isDone) this.#forget(exchange);
      return isSent;
    });
  }

  #open(res: HttpResponse): Exchange {
    const exchange: Exchange = { res, deadlineMs: Date.now() + this.#limits.exchangeTimeoutMs, bytes: 0 };
    this.#exchanges.add(exchange);
    return exchange;
  }

  #hasRoom(bytes: number): boolean {
    const { bufferBytes = 0 } = this.#service;
    return this.#pendingBytes + bufferBytes + bytes <= this.#limits.maxTotalPendingBytes;
  }

  #hold(exchange: Exchange, bytes: number): void {
    exchange.bytes += bytes;
    this.#pendingBytes += bytes;
  }

  /** False when it was forgotten before. */
  #forget(exchange: Exchange): boolean {
    if (!this.#exchanges.delete(exchange)) return false;
    this.#pendingBytes -= exchange.bytes;
    this.#letGoBytes += exchange.bytes;
    return true;
  }

  #relieve(onRelief: () => void): void {
    const isQuiet = this.#letGoBytes === this.#letGoSeen && this.#pendingBytes < RELIEF_BYTES;
    if (isQuiet && this.#letGoBytes >= RELIEF_BYTES) {
      this.#letGoBytes = 0;
      onRelief();
    }
    this.#letGoSeen = this.#letGoBytes;
  }

  /** Closes what has taken too long; closing runs the exchange's abort handler. */
  #sweep(): void {
    const nowMs = Date.now();
    for (const exchange of this.#exchanges) {
      if (exchange.deadlineMs > nowMs) break; // a set keeps the order of insertion, and so of deadlines
      exchange.res.close();
    }
  }
}
