// Requests whose answers take long, on the thread that also answers the short ones. In one turn of the event
// loop at most a few milliseconds of them are worked on, so that sockets and timers have theirs. One is
// worked on at a time, because the answers are built in one buffer, unless it waits for something outside.
// Callers take turns, so that one who sends many delays nobody but itself.

import { performance } from 'node:perf_hooks';
import type { Reply } from '../replies/responses.ts';
import type { Steps } from './steps.ts';

/** A request that passed the checks. */
export interface Work {
  readonly kind: 'work';
  /** Fairness key: one queue per caller. */
  readonly caller: string;
  /**
   * Begun when it is its turn, and run to its end before the next work is begun; but others have their turn
   * while it waits for a promise that it yields, and then it may no longer rely on the buffers.
   */
  steps(): Steps<Reply>;
  /** The reply if too much of the caller's is waiting already. */
  refuse(): Reply;
  /** The reply if it has waited for too long: for others too. */
  tooLate(): Reply;
}

/** A work that was added. */
export interface Ticket {
  /** For a client that is gone. Does nothing if it was replied to. */
  cancel(): void;
}

interface WorkLimits {
  /** Most works of one caller that wait. */
  readonly maxWaiting: number;
  /** Longest time that a work waits until it is begun. */
  readonly maxWaitMs: number;
}

const WORK_LIMITS: WorkLimits = { maxWaiting: 256, maxWaitMs: 10_000 };

interface Entry {
  /** Undefined once it was cancelled. */
  work: Work | undefined;
  /** Once it was begun. */
  steps: Steps<Reply> | undefined;
  readonly reply: (reply: Reply) => void;
  readonly lateMs: number;
}

export class WorkQueue {
  readonly #turnMs: number;
  readonly #limits: WorkLimits;
  readonly #nowMs: () => number;
  /** The caller whose turn it is first. Every list has an entry. */
  readonly #waiting = new Map<string, Entry[]>();
  #current: Entry | undefined;
  /** Those that waited for a promise, which is settled now. */
  readonly #resumed: Entry[] = [];
  #isInStep = false;
  /** Until it runs, works share what is left of this turn. */
  #nextTurn: NodeJS.Immediate | undefined;
  #endOfTurnMs = 0;

  /**
   * `turnMs` is the time of one turn of the event loop; a step that was begun is finished.
   * `nowMs` is the monotonic clock.
   */
  constructor(
    turnMs: number,
    limits: WorkLimits = WORK_LIMITS,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#turnMs = turnMs;
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** `reply` is called once, in this call or in a later turn, and must send or copy the body. */
  add(work: Work, reply: (reply: Reply) => void): Ticket {
    const entry: Entry = { work, steps: undefined, reply, lateMs: this.#nowMs() + this.#limits.maxWaitMs };
    const own = this.#waiting.get(work.caller);
    if (own === undefined) this.#waiting.set(work.caller, [entry]);
    else if (own.length < this.#limits.maxWaiting) own.push(entry);
    else {
      reply(work.refuse());
      return { cancel() {} };
    }
    this.#run();
    return { cancel: () => this.#cancel(entry) };
  }

  /** Forgets what waits. */
  close(): void {
    clearImmediate(this.#nextTurn);
    this.#nextTurn = undefined;
    this.#waiting.clear();
    this.#resumed.length = 0;
    if (this.#current !== undefined) this.#cancel(this.#current);
  }

  /** Works for what is left of this turn. */
  #run(): void {
    if (this.#nextTurn === undefined) {
      this.#endOfTurnMs = this.#nowMs() + this.#turnMs;
      this.#nextTurn = setImmediate(() => {
        this.#nextTurn = undefined;
        if (this.#current !== undefined || this.#waiting.size > 0 || this.#resumed.length > 0) this.#run();
      });
    }
    while (this.#nowMs() < this.#endOfTurnMs) {
      this.#current ??= this.#begin();
      if (this.#current === undefined) return;
      this.#step(this.#current);
    }
  }

  /** One that waited for a promise, else the first of the caller whose turn it is. */
  #begin(): Entry | undefined {
    if (this.#resumed.length > 0) return this.#resumed.shift();
    for (const [caller, entries] of this.#waiting) {
      const [entry] = entries.splice(0, 1);
      this.#waiting.delete(caller);
      if (entries.length > 0) this.#waiting.set(caller, entries); // behind the others
      if (entry.work === undefined) continue;
      if (this.#nowMs() > entry.lateMs) {
        entry.reply(entry.work.tooLate());
        continue;
      }
      entry.steps = entry.work.steps();
      return entry;
    }
    return undefined;
  }

  #step(entry: Entry): void {
    this.#isInStep = true;
    const result = entry.steps?.next();
    this.#isInStep = false;
    if (result?.done === true) {
      this.#current = undefined;
      if (entry.work !== undefined) entry.reply(result.value);
    } else if (entry.work === undefined) this.#drop(entry);
    else if (result?.value !== undefined) this.#setAside(entry, result.value);
  }

  #setAside(entry: Entry, awaited: Promise<unknown>): void {
    this.#current = undefined;
    void awaited.then(() => {
      this.#resumed.push(entry);
      this.#run();
    });
  }

  /**
   * An entry that waits is passed over in its turn; one that was set aside is finished without a reply. In a
   * step only the code that interrupts a hung worker gets here.
   */
  #cancel(entry: Entry): void {
    entry.work = undefined;
    if (this.#current === entry && !this.#isInStep) this.#drop(entry);
  }

  #drop(entry: Entry): void {
    this.#current = undefined;
    entry.steps?.return(undefined as never); // what it would return is not used
  }
}
