// The transport over Node's own http, for every Node release and platform that the addon has no binary
// for. Plain requests (plain-head.ts) are read here; the first other one takes its connection to the module's
// parser for good. Owns what the module leaves to its user: one request per connection at a time, memory held
// for slow readers, and time limits.

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks'; // the global of that name is a getter, slower than the clock
import type { BodyWanted } from '../handled.ts';
import type { Reply } from '../replies/responses.ts';
import type { Ticket, Work } from '../work/work-queue.ts';
import { type Asked, ParsedRequest } from './asked.ts';
import type { Exchange, Exchanges } from './exchanges.ts';
import { IncomingBody } from './incoming-body.ts';
import { Ledger } from './ledger.ts';
import { Connection, WAITING_BYTES } from './node-connection.ts';
import { OutgoingBody } from './outgoing-body.ts';
import { PipelineTurns } from './pipelines.ts';
import { ClosingFields, PlainRequest } from './plain-request.ts';
import {
  MAX_FIELDS,
  MAX_HEADER_BYTES,
  type SentReply,
  type ServingSide,
  type Transport,
  type TransportOptions,
} from './transport.ts';

/**
 * With ten checks in the time limit, which is 10 s, a connection on which nothing
 * arrives is closed after 10 to 12 s.
 */
const CHECKS_IN_LIMIT = 10;
/** Bodies larger than this count towards relief: what is made for them is garbage outside V8's heap. */
const LARGE_BYTES = 64 << 10;
const NO_BODY = new Uint8Array(0);

interface NodeOptions extends TransportOptions {
  /**
   * Gets connections that could not be accepted, and errors in sending a reply, whose connection is then
   * closed. Without it, such an error ends the thread.
   */
  readonly onError?: (error: unknown) => void;
}

export class NodeTransport implements Transport {
  readonly #server: Server;
  /** What makes a connection one of the module's. */
  readonly #adopt: readonly ((socket: Socket) => void)[];
  readonly #closing: ClosingFields;
  readonly #service: ServingSide;
  readonly #ledger: Ledger;
  readonly #exchanges: Exchanges;
  readonly #host: string;
  readonly #sharesPort: boolean;
  readonly #onError: NodeOptions['onError'];
  readonly #connections = new Map<Socket, Connection>();
  /** Of all that waits behind requests that are being answered, over all connections. */
  #waitingBytes = 0;
  readonly #turns = new PipelineTurns();
  #isDraining = false;
  #port: number;

  constructor(options: NodeOptions) {
    const { service, host, port, sharesPort, onError } = options;
    this.#service = service;
    this.#host = host;
    this.#port = port;
    this.#sharesPort = sharesPort ?? false;
    this.#ledger = new Ledger(options);
    this.#exchanges = this.#ledger.exchanges;
    this.#onError = onError;
    const { arrivalTimeoutMs } = this.#ledger.limits;
    this.#server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: arrivalTimeoutMs,
      requestTimeout: arrivalTimeoutMs,
      keepAliveTimeout: arrivalTimeoutMs,
      connectionsCheckingInterval: arrivalTimeoutMs / CHECKS_IN_LIMIT,
      insecureHTTPParser: false, // also if the process was started with --insecure-http-parser
    });
    this.#server.maxHeadersCount = 0; // no limit here: Node would drop further fields silently
    this.#closing = new ClosingFields(arrivalTimeoutMs);
    this.#adopt = this.#server.listeners('connection') as ((socket: Socket) => void)[];
    this.#server.removeAllListeners('connection');
    this.#server.on('connection', (socket) => this.#connect(socket));
    const ask =
      (expectsContinue: boolean): RequestListener =>
      (request, response) =>
        this.#queue(new ParsedRequest(request, response, expectsContinue));
    this.#server.on('request', ask(false));
    this.#server.on('checkContinue', ask(true));
    this.#server.on('checkExpectation', ask(false)); // expectations other than 100-continue are ignored
    // The server listens on TCP only.
    this.#server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket));
    // Because of this listener, Node does not close idle connections itself.
    this.#server.on('timeout', (socket) => this.#connections.get(socket)?.closeIfIdle());
  }

  get port(): number {
    return this.#port;
  }

  get pendingBytes(): number {
    return this.#exchanges.heldBytes + this.#waitingBytes;
  }

  async startListening(): Promise<void> {
    if (this.#server.listening) return;
    const address = `${this.#host}:${this.#port}`;
    // Node takes an empty host to mean every interface.
    if (this.#host.trim() === '') throw new Error(`cannot listen on ${address}: give an address as host`);
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: NodeJS.ErrnoException): void => {
        const message = `cannot listen on ${address}: the port is taken or not allowed (${cause.code})`;
        reject(new Error(message, { cause }));
      };
      this.#server.once('error', fail);
      const where = { host: this.#host, port: this.#port, backlog: 512 };
      this.#server.listen({ ...where, ...(this.#sharesPort ? { reusePort: true } : {}) }, () => {
        this.#server.off('error', fail);
        if (this.#onError !== undefined) this.#server.on('error', this.#onError);
        const bound = this.#server.address();
        if (typeof bound === 'object' && bound !== null) this.#port = bound.port;
        resolve();
      });
    });
  }

  stopListening(): void {
    // The http server's own close would also end idle connections and the check for stalled ones.
    if (this.#server.listening) NetServer.prototype.close.call(this.#server);
  }

  drain(): void {
    this.#isDraining = true;
  }

  idle(patienceMs = 0): Promise<void> {
    return this.#ledger.idle(() => this.#connections.size, patienceMs);
  }

  close(): void {
    this.#ledger.close();
    this.#turns.close();
    this.#server.close();
    for (const socket of this.#connections.keys()) this.#leave(socket);
  }

  #connect(socket: Socket): void {
    const connection = new Connection(socket);
    const { maxConnections, arrivalTimeoutMs } = this.#ledger.limits;
    this.#connections.set(socket, connection);
    this.#ledger.observer.connected();
    socket.once('close', () => this.#leave(socket));
    if (this.#connections.size > maxConnections) socket.destroy();
    else connection.readPackets((packet) => this.#read(connection, packet), arrivalTimeoutMs);
  }

  #read(connection: Connection, packet: Buffer): void {
    const { socket } = connection;
    if (connection.isAnswering) {
      this.#wait(connection, () => connection.holdBack(packet));
      return;
    }
    const head = connection.heads.read(packet);
    if (head !== undefined) {
      this.#answer(connection, new PlainRequest(head, socket, this.#closing, () => this.#next(connection)));
      return;
    }
    connection.stopPackets();
    // Put back, and not emitted again: after that, the stream would read on although Node has paused it.
    socket.unshift(packet);
    for (const adopt of this.#adopt) adopt.call(this.#server, socket);
  }

  #leave(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    this.#connections.delete(socket);
    this.#waitingBytes -= connection.waitingBytes;
    connection.clear();
    connection.abort?.();
    socket.destroy();
    this.#ledger.observer.disconnected();
  }

  /** Answers a malformed request after the requests before it, and closes the connection. */
  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      connection.closeIfIncomplete();
      return;
    }
    // What follows a request with `Connection: close` is not read; the reply closes the connection.
    if (connection.isRefused || error.code === 'HPE_CLOSED_CONNECTION') return;
    const status =
      error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    connection.refuse(status);
    const { awaitsBody, isAnswering } = connection;
    if (awaitsBody) connection.abort?.(); // the malformed bytes were in its body
    if (awaitsBody || !isAnswering) connection.sendRefusal();
  }

  /** One at a time: a reply's body may be in the buffer in which the next reply is built. */
  #queue(asked: ParsedRequest): void {
    const connection = this.#connections.get(asked.request.socket);
    if (connection === undefined) return; // we closed it after more requests had been read
    connection.requestCount += 1;
    if (connection.isAnswering) this.#wait(connection, () => connection.enqueue(asked));
    else this.#answerParsed(connection, asked);
  }

  /** Closes the connection if there is no room for what is to wait. */
  #wait(connection: Connection, enqueue: () => void): void {
    const before = connection.waitingBytes;
    enqueue();
    this.#waitingBytes += connection.waitingBytes - before;
    if (!this.#hasRoom(0)) this.#leave(connection.socket);
  }

  #answerParsed(connection: Connection, asked: ParsedRequest): void {
    const { request, response } = asked;
    asked.onSent(() => this.#next(connection));
    const refused = statusOfRefusal(request);
    if (refused === undefined) {
      this.#answer(connection, asked);
      return;
    }
    connection.isAnswering = true;
    response.writeHead(refused, ['Connection', 'close', 'Content-Length', '0']).end();
  }

  #answer(connection: Connection, asked: Asked): void {
    const startMs = performance.now();
    connection.isAnswering = true;
    this.#ledger.observer.started();
    const result = this.#service.handle(asked.view);
    if (!('kind' in result)) this.#send(connection, asked, result, startMs);
    else if (result.kind === 'work') this.#await(connection, asked, this.#open(connection), result, startMs);
    else this.#collect(connection, asked, result, startMs);
  }

  /** Continues after a reply that was sent in full. */
  #next(connection: Connection): void {
    if (!connection.socket.writable)
      connection.isAnswering = false; // that reply was the last one
    else if (connection.isWaiting) this.#turns.take(() => this.#answerNext(connection));
    else {
      connection.isAnswering = false;
      if (connection.isRefused) connection.sendRefusal();
      this.#waitingBytes -= connection.readOn();
    }
  }

  #answerNext(connection: Connection): void {
    const next = connection.dequeue();
    if (next === undefined) return; // it was closed meanwhile
    this.#waitingBytes -= WAITING_BYTES;
    this.#answerParsed(connection, next);
  }

  /** Waits for a body and never holds more than its limit. */
  #collect(connection: Connection, asked: Asked, wanted: BodyWanted, startMs: number): void {
    if (!(asked instanceof ParsedRequest)) {
      this.#await(connection, asked, this.#open(connection), wanted.work(NO_BODY), startMs);
      return;
    }
    const { request, response } = asked;
    if (Number(request.headers['content-length']) > wanted.maxBytes) {
      this.#send(connection, asked, wanted.tooLarge(), startMs);
      return;
    }
    const body = new IncomingBody(wanted.maxBytes);
    const exchange = this.#open(connection, wanted.caller);
    const settle = (): void => {
      request.off('data', take);
      request.off('end', finish);
      connection.awaitsBody = false;
      connection.abort = undefined;
    };
    const take = (chunk: Uint8Array): void => {
      const growth = body.growthFor(chunk);
      const isFitting = body.fits(chunk);
      if (!isFitting || !this.#hasRoomFor(wanted.caller, growth)) {
        settle();
        this.#exchanges.forget(exchange);
        request.resume(); // reads and drops what has arrived
        response.shouldKeepAlive = false; // nobody knows how many chunks are still to come
        this.#send(connection, asked, isFitting ? wanted.overloaded() : wanted.tooLarge(), startMs);
      } else if (!body.add(chunk)) {
        this.#leave(connection.socket);
      } else {
        this.#exchanges.hold(exchange, growth);
      }
    };
    const finish = (): void => {
      settle();
      this.#await(connection, asked, exchange, wanted.work(body.bytes()), startMs);
    };
    connection.awaitsBody = true;
    connection.abort = () => {
      settle();
      this.#ledger.abandon(exchange);
    };
    request.on('data', take);
    request.on('end', finish);
    if (asked.expectsContinue) response.writeContinue();
  }

  #open(connection: Connection, caller?: string): Exchange {
    return this.#exchanges.open({ close: () => this.#leave(connection.socket) }, caller);
  }

  /** Replies when it is the work's turn. The exchange is open until then. */
  #await(connection: Connection, asked: Asked, exchange: Exchange, work: Work, startMs: number): void {
    let ticket: Ticket | undefined;
    connection.abort = () => {
      connection.abort = undefined;
      ticket?.cancel();
      this.#ledger.abandon(exchange);
    };
    ticket = this.#ledger.works.add(work, (reply) => {
      connection.abort = undefined;
      this.#exchanges.forget(exchange);
      this.#send(connection, asked, reply, startMs);
    });
  }

  #send(connection: Connection, asked: Asked, reply: Reply, startMs: number): void {
    try {
      this.#write(connection, asked, reply, startMs);
    } catch (error) {
      if (this.#onError === undefined) throw error;
      this.#onError(error);
      this.#leave(connection.socket);
    }
  }

  #write(connection: Connection, asked: Asked, reply: Reply, startMs: number): void {
    const { about, status } = reply;
    const { method, path } = asked.view;
    const hasLength = status !== 304 && status !== 204;
    const whole = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
    const body = hasLength && method !== 'HEAD' ? whole : NO_BODY;
    const isImmutable = reply.isImmutable === true;
    asked.begin(reply, hasLength ? whole.length : undefined, this.#isDraining);
    const outgoing = new OutgoingBody(connection.socket, asked, body, isImmutable);
    const isSent = outgoing.push();
    const sent: SentReply = { method, about, status, tookMs: performance.now() - startMs };
    if (sent.tookMs > this.#ledger.slow.thresholdMs) this.#ledger.slow.note(sent, path);
    if (body.length > LARGE_BYTES && (isSent || !isImmutable)) this.#exchanges.countReleased(body.length);
    if (isSent) this.#ledger.ended(sent, body.length, true);
    else if (isImmutable) this.#sendDownload(connection, outgoing, sent);
    else this.#sendRest(connection, outgoing, sent);
  }

  /** Keeps the bytes that the socket did not take, and sends them as the client reads. */
  #sendRest(connection: Connection, outgoing: OutgoingBody, sent: SentReply): void {
    const { heldBytes } = outgoing;
    if (heldBytes > this.#ledger.limits.maxPendingBytes || !this.#hasRoom(heldBytes)) {
      this.#leave(connection.socket);
      this.#ledger.ended(sent, outgoing.takenBytes, false);
      return;
    }
    const exchange = this.#open(connection);
    this.#exchanges.hold(exchange, heldBytes);
    this.#keep(connection, outgoing, sent, () => this.#exchanges.forget(exchange));
  }

  /** Sends the rest of an immutable body as the client reads; it needs no memory of its own. */
  #sendDownload(connection: Connection, outgoing: OutgoingBody, sent: SentReply): void {
    const bodyBytes = outgoing.length;
    const download = this.#exchanges.openDownload({
      get takenBytes(): number {
        return outgoing.takenBytes;
      },
      close: () => this.#leave(connection.socket),
    });
    this.#keep(connection, outgoing, sent, () => this.#exchanges.forgetDownload(download, bodyBytes));
  }

  /** `forget` is called when the reply is over, and is false if it was called before. */
  #keep(connection: Connection, outgoing: OutgoingBody, sent: SentReply, forget: () => boolean): void {
    const end = (isWhole: boolean): void => {
      connection.abort = undefined;
      if (forget()) this.#ledger.ended(sent, outgoing.takenBytes, isWhole);
    };
    connection.abort = () => end(false);
    outgoing.keep(() => end(true));
  }

  #hasRoomFor(caller: string, bytes: number): boolean {
    return this.#ledger.hasRoomFor(caller, bytes) && this.#hasRoom(bytes);
  }

  #hasRoom(bytes: number): boolean {
    return this.#ledger.hasRoom(this.#waitingBytes + bytes);
  }
}

/** The status for a head that Node accepts and we refuse, or undefined. */
function statusOfRefusal({ rawHeaders, headers }: IncomingMessage): number | undefined {
  if (rawHeaders.length > 2 * MAX_FIELDS) return 431;
  return headers['transfer-encoding'] === '' ? 400 : undefined; // Node 20 reads it as no body
}
