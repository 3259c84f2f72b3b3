// A load of keep-alive connections, each with one request in flight at a time. Every exchange is shown to a
// judge; every request without a good reply is recorded with what, when and which connection, and retried
// once over a new connection, since that is what a client would do.

import { Latencies } from '../../soak/support/latencies.ts';
import { sleep } from '../../soak/support/scale.ts';
import { HttpSocket, type RawReply } from '../process/http-socket.ts';

export interface Exchange {
  readonly connection: number;
  /** Different for each socket that a connection used. */
  readonly socket: number;
  readonly request: string;
  readonly startedMs: number;
  readonly reply: RawReply;
}

/** As clients wait before they ask a second time. */
const RETRY_MS = 100;

export interface Failure {
  readonly what: string;
  /** When it was noticed, in `performance.now()` time. */
  readonly atMs: number;
  readonly connection: number;
  readonly socket: number;
  /** The request line. */
  readonly request: string;
  /** The outcome of the last retry: undefined if it succeeded. */
  retry: string | undefined;
}

export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  /** The bytes of a connection's next request. */
  readonly next: (connection: number) => string;
  /** What is wrong with a reply, or undefined. By default a status other than 200 and 304 is. */
  readonly judge?: (exchange: Exchange) => string | undefined;
  /** Pause between a reply and the next request. */
  readonly pauseMs?: number;
  /** After this many requests a connection opens a new socket. */
  readonly requestsPerSocket?: number;
  readonly timeoutMs?: number;
  /** Requests of all connections together; without it the load continues until stopped. */
  readonly requests?: number;
}

const DEFAULT_TIMEOUT_MS = 15_000;

export class Load {
  readonly failures: Failure[] = [];
  readonly #plan: LoadPlan;
  readonly #sockets = new Set<HttpSocket>();
  readonly #numbers = new WeakMap<HttpSocket, number>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #done: Promise<unknown>;
  #latencies = new Latencies();
  #socketCount = 0;
  #sent = 0;
  #isStopped = false;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#sweeper = setInterval(() => this.#sweep(), 100);
    this.#done = Promise.all(Array.from({ length: plan.connections }, (_, i) => this.#run(i)));
  }

  /** Ends one period and starts the next; returns the figures of the period that ended. */
  turn(): Latencies {
    const latencies = this.#latencies;
    this.#latencies = new Latencies();
    return latencies;
  }

  /** Resolves when every request in flight has ended. */
  async stop(): Promise<Latencies> {
    this.#isStopped = true;
    return this.finished();
  }

  /** Requires: a plan with a number of requests, or `stop`. */
  async finished(): Promise<Latencies> {
    try {
      await this.#done;
    } finally {
      clearInterval(this.#sweeper);
      for (const socket of this.#sockets) socket.close();
    }
    return this.turn();
  }

  async #run(connection: number): Promise<void> {
    const { pauseMs = 0, requestsPerSocket = Infinity, requests = Infinity, next } = this.#plan;
    // Connections start one after another, or their pauses would keep them in step.
    if (pauseMs > 0) await sleep((pauseMs * connection) / this.#plan.connections);
    let socket: HttpSocket | undefined;
    let onSocket = 0;
    while (!this.#isStopped && this.#sent < requests) {
      this.#sent++;
      if (socket === undefined || socket.isEnded || onSocket >= requestsPerSocket) {
        if (socket !== undefined) this.#drop(socket);
        socket = this.#open();
        onSocket = 0;
      }
      onSocket++;
      const request = next(connection);
      const what = await this.#exchange(connection, socket, request);
      if (what !== undefined) {
        const [line] = request.split('\r\n', 1) as [string];
        const failure: Failure = {
          what,
          atMs: performance.now(),
          connection,
          socket: this.#numbers.get(socket) ?? 0,
          request: line,
          retry: undefined,
        };
        this.failures.push(failure);
        this.#drop(socket);
        socket = this.#open();
        onSocket = 1;
        failure.retry = await this.#exchange(connection, socket, request);
        if (failure.retry !== undefined) {
          // The kernel may give a connection to a port that is being closed, until it is.
          await sleep(RETRY_MS);
          this.#drop(socket);
          socket = this.#open();
          failure.retry = await this.#exchange(connection, socket, request);
        }
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
  }

  #open(): HttpSocket {
    const socket = new HttpSocket(this.#plan.port);
    this.#socketCount++;
    this.#numbers.set(socket, this.#socketCount);
    this.#sockets.add(socket);
    return socket;
  }

  #drop(socket: HttpSocket): void {
    socket.close();
    this.#sockets.delete(socket);
  }

  /** What went wrong, or undefined. */
  async #exchange(connection: number, socket: HttpSocket, request: string): Promise<string | undefined> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, judge = judgeStatus } = this.#plan;
    const startedMs = performance.now();
    try {
      const reply = await socket.request(request, timeoutMs);
      this.#latencies.add(performance.now() - startedMs);
      const number = this.#numbers.get(socket) ?? 0;
      return judge({ connection, socket: number, request, startedMs, reply });
    } catch (error) {
      return (error as Error).message; // a socket rejects only with errors
    }
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const socket of this.#sockets) socket.sweep(nowMs);
  }
}

export function judgeStatus({ reply }: Pick<Exchange, 'reply'>): string | undefined {
  if (reply.status === 200 || reply.status === 304) return undefined;
  return `status ${reply.status}: ${reply.body.toString('utf8', 0, 200)}`;
}

/** The first few, for a message. */
export function describeFailures(failures: readonly Failure[]): string {
  const shown = failures
    .slice(0, 5)
    .map(
      ({ what, connection, request, retry }) =>
        `${request} on ${connection}: ${what}; retry ${retry ?? 'ok'}`,
    );
  return `${failures.length} failed${shown.length > 0 ? `: ${shown.join(' | ')}` : ''}`;
}
