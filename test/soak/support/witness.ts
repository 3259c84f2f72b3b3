// Checks which snapshot answered: a published one, the same in the tag and in the whole body, and on one
// socket never an older one after a newer one.

import type { Build } from '../../support/load/builds.ts';
import { type Exchange, judgeStatus } from '../../support/load/load.ts';
import { headerOf } from '../../support/process/http-socket.ts';

/** Time within which all workers switch to a snapshot from which one of them already answers. */
const PUBLISH_MS = 1_000;

export class Witness {
  readonly #numbers = new Map<string, number>();
  readonly #newestOnSocket = new Map<number, number>();
  /** When a build first answered. */
  readonly #firstSeenMs = new Map<number, number>();
  #newest = -1;
  #markers = 0;

  /** Call before the file can be served. */
  publish({ id, number }: Build): void {
    this.#numbers.set(id, number);
  }

  /** The newest build that has answered; -1 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Number of markers compared. */
  get markers(): number {
    return this.#markers;
  }

  readonly judge = (exchange: Exchange): string | undefined => {
    const { reply, socket, startedMs } = exchange;
    const fault = judgeStatus(exchange);
    if (fault !== undefined) return fault;
    const id = headerOf(reply.head, 'ETag')?.slice(1, 17) ?? '';
    const number = this.#numbers.get(id);
    if (number === undefined) return `torn: answered by ${JSON.stringify(id)}, which was not published`;
    for (const [, marked] of reply.body.toString('latin1').matchAll(/"Build (\d+)\."/g)) {
      this.#markers++;
      if (Number(marked) !== number) return `torn: build ${marked} in an answer of build ${number}`;
    }
    const before = this.#newestOnSocket.get(socket) ?? -1;
    if (number < before) return `torn: build ${number} after ${before} on one connection`;
    this.#newestOnSocket.set(socket, number);
    return this.#judgeAge(number, startedMs);
  };

  /**
   * Between connections a newer build may be ahead, but not for long: a new worker must not start with an old
   * one.
   */
  #judgeAge(number: number, startedMs: number): string | undefined {
    if (number > this.#newest) {
      this.#newest = number;
      this.#firstSeenMs.set(number, performance.now());
    }
    const newestSinceMs = startedMs - (this.#firstSeenMs.get(this.#newest) ?? startedMs);
    return number < this.#newest && newestSinceMs > PUBLISH_MS
      ? `gone back: build ${number}, ${newestSinceMs.toFixed(0)} ms after ${this.#newest}`
      : undefined;
  }
}
