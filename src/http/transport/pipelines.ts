// Bounds what one turn of the event loop answers of requests that were sent without waiting for replies: a
// client may send thousands of them in a few packets, and other connections wait for all that are answered
// in one go. Owns both ways to bound it, since the transports differ in what can be put off.

/** Requests that are counted before somebody asks whose they are: of 32, asking took a tenth of `exists`. */
export const SAMPLE_REQUESTS = 256;
/** For each connection, in one turn. Clients that pipeline send fewer before they read. */
export const MOST_PIPELINED = 128;

/** Pipelined requests of all connections that are answered in one turn: some 2 ms. */
export const TURN_REQUESTS = 64;

/**
 * For a transport that can leave a request waiting: what is beyond a turn's number is answered in later
 * turns, connections in turn.
 */
export class PipelineTurns {
  #left = TURN_REQUESTS;
  readonly #waiting: (() => void)[] = [];
  #nextTurn: NodeJS.Immediate | undefined;

  /** Calls `answer` in this turn or in a later one. Requires: a connection has one request here at a time. */
  take(answer: () => void): void {
    this.#nextTurn ??= setImmediate(() => this.#begin());
    if (this.#waiting.length > 0 || this.#left === 0) {
      this.#waiting.push(answer);
      return;
    }
    this.#left--;
    answer();
  }

  close(): void {
    clearImmediate(this.#nextTurn);
    this.#waiting.length = 0;
  }

  #begin(): void {
    const due = this.#waiting.splice(0, TURN_REQUESTS);
    this.#left = TURN_REQUESTS - due.length;
    this.#nextTurn = due.length === 0 ? undefined : setImmediate(() => this.#begin());
    for (const answer of due) answer();
  }
}

/**
 * For a transport that hands over all requests of a packet in one call: says when a connection is to be
 * closed. Only every 256th request of the thread is looked at, because to ask the addon whose it is costs
 * more than to count.
 *
 * The addon says a client's address and not which connection a request came by. So an address may send in one
 * turn what all open connections together may: nobody is cut off who has at most MOST_PIPELINED requests on
 * each of its connections. Beyond that, every sample ends a connection of that address.
 */
export class PipelineGuard {
  #left = SAMPLE_REQUESTS;
  /** Of this turn, by address. */
  readonly #samples = new Map<string, number>();
  #nextTurn: NodeJS.Immediate | undefined;

  /** Counts a request. Whether `isTooMany` must be asked about it. */
  isSample(): boolean {
    return --this.#left <= 0;
  }

  /** Whether the connection is to be closed with this request. */
  isTooMany(address: string, connectionCount: number): boolean {
    this.#left = SAMPLE_REQUESTS;
    this.#nextTurn ??= setImmediate(() => {
      this.#nextTurn = undefined;
      this.#samples.clear();
    });
    // The first sample may stand for requests of earlier turns.
    const seen = this.#samples.get(address) ?? 0;
    this.#samples.set(address, seen + 1);
    return seen * SAMPLE_REQUESTS > MOST_PIPELINED * connectionCount;
  }
}
