// The supervisor's side of the worker threads: starts them, sends them new data and keys, replaces those that
// died or hung.

import type { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';
import type { LogBatch } from '../log/log-relay.ts';
import type {
  FromWorker,
  OperationsAnswer,
  OperationsQuestion,
  PostedChanges,
  PostedFiles,
  PostedGeneration,
  PostedKeys,
  ToWorker,
  WorkerData,
} from '../messages.ts';
import type { PostedSlowRequest } from '../operations/requests/slow-requests.ts';
import { KeptGenerations } from '../snapshots/kept-generations.ts';
import { startThread } from '../thread.ts';
import { BeatWatch } from './beat-watch.ts';
import { INTERRUPTIBLE, interrupt } from './interrupt.ts';

const HUNG_MS = 10_000;
const CHECKS_UNTIL_HUNG = 10;
/** For an interrupted worker to close its sockets and end. */
const END_MS = 5_000;
/** For a worker that was told to stop: requests in flight have a minute. */
const STOP_MS = 70_000;
const SILENT = 'it ended without reporting an error';
const FIRST_BACK_OFF_MS = 100;
const LAST_BACK_OFF_MS = 10_000;
/** A worker that lived this long is replaced after the first back-off again. */
const GOOD_LIFE_MS = 30_000;

export type RestartReason = 'crashed' | 'hung';

interface WorkerPoolEvents {
  /** A worker is gone and will be replaced after `backOffMs`. */
  readonly onRestart: (index: number, reason: RestartReason, message: string, backOffMs: number) => void;
  /** A worker can be neither interrupted nor ended: only a new process helps. */
  readonly onStuck: (index: number) => void;
  readonly onLog: (batch: LogBatch) => void;
  /** A client whose key allows it asks about the process, or gives an order. */
  readonly answer: (question: OperationsQuestion) => OperationsAnswer;
  readonly onSlow: (requests: readonly PostedSlowRequest[]) => void;
}

/** What a worker needs beyond what all of them share. */
export type SharedWorkerData = Omit<WorkerData, 'index' | 'keys' | 'awaitsGeneration'>;

/** The part of a thread that is used here. */
type PoolThread = Pick<EventEmitter, 'on' | 'once'> & Pick<Worker, 'postMessage' | 'threadId'>;

/** What tests replace. */
export interface WorkerPoolMeans {
  /** A worker without a heartbeat for this long is hung. */
  readonly hungMs?: number;
  /** The shortest and the longest time until the next worker starts. */
  readonly backOffMs?: readonly [first: number, last: number];
  readonly startWorker?: (data: WorkerData) => PoolThread;
  readonly interrupt?: (thread: PoolThread) => void;
  /** The monotonic clock. */
  readonly nowMs?: () => number;
}

interface Member {
  readonly index: number;
  thread: PoolThread;
  /** False between the end of a thread and the start of the next. */
  isAlive: boolean;
  state: 'starting' | 'serving' | 'replacing';
  isHung: boolean;
  /** The error it reported before it ended. */
  lastWords: string;
  startedAtMs: number;
  backOffMs: number;
  restarts: number;
  nextLaunch: NodeJS.Timeout | undefined;
  /** Of the first thread, until it is listening or dies. */
  firstStart: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
}

export class WorkerPool {
  readonly #shared: SharedWorkerData;
  readonly #events: WorkerPoolEvents;
  readonly #beatOf: (index: number) => number;
  readonly #members: Member[] = [];
  readonly #means: Required<WorkerPoolMeans>;
  readonly #checkMs: number;
  readonly #beatWatch: BeatWatch;
  readonly #kept: KeptGenerations<PostedGeneration>;
  #keys: PostedKeys;
  #files: PostedFiles | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isDraining = false;
  #isPaused = false;
  #isStopping = false;

  /**
   * `beatOf` reads a number that changes as long as the worker's event loop runs, or requests are answered.
   */
  constructor(
    shared: SharedWorkerData,
    keys: PostedKeys,
    beatOf: (index: number) => number,
    events: WorkerPoolEvents,
    means: WorkerPoolMeans = {},
  ) {
    this.#shared = shared;
    this.#kept = new KeptGenerations(shared.keepGenerations);
    this.#keys = keys;
    this.#beatOf = beatOf;
    this.#events = events;
    this.#means = {
      hungMs: HUNG_MS,
      backOffMs: [FIRST_BACK_OFF_MS, LAST_BACK_OFF_MS],
      startWorker,
      interrupt,
      nowMs: () => performance.now(),
      ...means,
    };
    const { hungMs } = this.#means;
    this.#checkMs = hungMs / CHECKS_UNTIL_HUNG;
    this.#beatWatch = new BeatWatch(this.#checkMs, hungMs);
  }

  /** Resolves when all are listening; rejects with the first failure. */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, index) => this.#startMember(index)));
    this.#watch = setInterval(() => this.#checkBeats(), this.#checkMs);
    this.#watch.unref();
  }

  publish(generation: PostedGeneration): void {
    this.#kept.publish(generation);
    this.#broadcast({ kind: 'generation', generation });
  }

  /** Keeps an older generation no longer. */
  retire(id: string): void {
    this.#kept.drop(id);
    this.#broadcast({ kind: 'retire', id });
  }

  /** What the workers hold. */
  get kept(): KeptGenerations<PostedGeneration> {
    return this.#kept;
  }

  tellChanges(changes: PostedChanges): void {
    this.#kept.learn(changes);
    this.#broadcast({ kind: 'changes', changes });
  }

  setFiles(files: PostedFiles): void {
    this.#files = files;
    this.#broadcast({ kind: 'files', files });
  }

  get files(): PostedFiles | undefined {
    return this.#files;
  }

  setKeys(keys: PostedKeys): void {
    this.#keys = keys;
    this.#broadcast({ kind: 'keys', keys });
  }

  /** From now on every reply is the last on its connection. */
  drain(): void {
    this.#isDraining = true;
    this.#broadcast({ kind: 'drain' });
  }

  /** Stops accepting new connections, or resumes. */
  pauseAccepting(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#broadcast({ kind: 'accept', isPaused });
  }

  /** The state of each worker, for /status. */
  states(): readonly { readonly state: Member['state']; readonly restarts: number }[] {
    return this.#members.map(({ state, restarts }) => ({ state, restarts }));
  }

  /** Whether any worker is listening on the port. */
  get isServing(): boolean {
    return this.#members.some(({ state }) => state === 'serving');
  }

  /**
   * Resolves when every worker has finished its requests in flight and ended. One
   * that hangs meanwhile is ended too.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const ends = this.#members.map((member) => {
      clearTimeout(member.nextLaunch);
      if (!member.isAlive) return undefined;
      const { thread, index } = member;
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage({ kind: 'stop' } satisfies ToWorker);
      this.#giveUpAfter(STOP_MS, index, thread);
      return ended;
    });
    await Promise.all(ends);
    clearInterval(this.#watch);
  }

  #broadcast(message: ToWorker): void {
    for (const { thread, isAlive } of this.#members) if (isAlive) thread.postMessage(message);
  }

  #startMember(index: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const member: Member = {
        index,
        thread: this.#spawn(index),
        isAlive: true,
        state: 'starting',
        isHung: false,
        lastWords: SILENT,
        startedAtMs: this.#means.nowMs(),
        backOffMs: this.#means.backOffMs[0],
        restarts: 0,
        nextLaunch: undefined,
        firstStart: { resolve, reject },
      };
      this.#members.push(member);
      this.#follow(member);
    });
  }

  #spawn(index: number): PoolThread {
    const awaitsGeneration = this.#kept.live !== undefined;
    const data: WorkerData = { ...this.#shared, index, keys: this.#keys, awaitsGeneration };
    const thread = this.#means.startWorker(data);
    const first: ToWorker[] = this.#kept.list.map(({ generation }, i) => {
      return { kind: i === 0 ? 'generation' : 'older-generation', generation };
    });
    for (const changes of this.#kept.changes) first.push({ kind: 'changes', changes });
    if (this.#files !== undefined) first.push({ kind: 'files', files: this.#files });
    if (this.#isDraining) first.push({ kind: 'drain' });
    if (this.#isPaused) first.push({ kind: 'accept', isPaused: true });
    for (const message of first) thread.postMessage(message);
    return thread;
  }

  #follow(member: Member): void {
    const { thread } = member;
    thread.on('message', (message: FromWorker) => this.#handle(member, message));
    thread.on('error', (error: Error) => {
      member.lastWords = error.stack ?? error.message;
      member.firstStart?.reject(error);
    });
    thread.once('exit', (status: number) => {
      member.isAlive = false;
      const { firstStart } = member;
      if (firstStart !== undefined) {
        firstStart.reject(new Error(`worker ${member.index} ended with status ${status}`));
      } else if (!this.#isStopping) {
        this.#replace(member);
      }
    });
  }

  #handle(member: Member, message: FromWorker): void {
    switch (message.kind) {
      case 'listening':
        if (member.state === 'starting') member.state = 'serving';
        member.firstStart?.resolve();
        member.firstStart = undefined;
        break;
      case 'failed':
        member.lastWords = message.message;
        break;
      case 'log':
        this.#events.onLog(message.batch);
        if (member.isAlive) member.thread.postMessage({ kind: 'log-taken' } satisfies ToWorker);
        break;
      case 'asked': {
        const answer = this.#events.answer(message.question);
        const { number } = message;
        if (member.isAlive)
          member.thread.postMessage({ kind: 'answered', number, answer } satisfies ToWorker);
        break;
      }
      case 'slow':
        this.#events.onSlow(message.requests);
        break;
    }
  }

  #replace(member: Member): void {
    const { isHung, lastWords, index } = member;
    const livedMs = this.#means.nowMs() - member.startedAtMs;
    const [first, last] = this.#means.backOffMs;
    member.backOffMs = livedMs > GOOD_LIFE_MS ? first : Math.min(last, member.backOffMs * 2);
    member.state = 'replacing';
    member.restarts++;
    this.#events.onRestart(index, isHung ? 'hung' : 'crashed', lastWords, member.backOffMs);
    member.nextLaunch = setTimeout(() => {
      member.thread = this.#spawn(index);
      member.isAlive = true;
      member.state = 'starting';
      member.isHung = false;
      member.lastWords = SILENT;
      member.startedAtMs = this.#means.nowMs();
      this.#follow(member);
    }, member.backOffMs);
  }

  #checkBeats(): void {
    // During a stop, those that have ended wait for the others without a heartbeat.
    const beats = this.#members.map(({ index, state, isAlive }) =>
      isAlive && state === 'serving' ? this.#beatOf(index) : undefined,
    );
    for (const index of this.#beatWatch.look(this.#means.nowMs(), beats)) this.#endHung(this.#members[index]);
  }

  /**
   * Ends a worker that no longer runs its event loop. Node has no way to end a thread with open sockets, so
   * its running code is interrupted, after which it finds the `stop` message.
   */
  #endHung(member: Member): void {
    const { thread, index } = member;
    member.state = 'replacing';
    member.isHung = true;
    thread.postMessage({ kind: 'stop' } satisfies ToWorker);
    this.#means.interrupt(thread);
    this.#giveUpAfter(END_MS, index, thread);
  }

  #giveUpAfter(ms: number, index: number, thread: PoolThread): void {
    const timer = setTimeout(() => this.#events.onStuck(index), ms);
    timer.unref();
    thread.once('exit', () => clearTimeout(timer));
  }
}

function startWorker(data: WorkerData): PoolThread {
  return startThread('workers/worker-thread', data, { flags: INTERRUPTIBLE });
}
