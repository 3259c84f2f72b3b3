// The supervisor's side of the worker threads: starts them, tells them of new data and keys, replaces those that
// died or stopped answering.

import { Session } from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import type { FromWorker, PostedGeneration, PostedKeys, ToWorker, WorkerData } from './messages.ts';
import { startThread } from './thread.ts';

const CHECK_MS = 1_000;
const HUNG_MS = 10_000;
/** For a worker that was interrupted, to close its sockets and end. */
const END_MS = 5_000;
const FIRST_BACK_OFF_MS = 100;
const LAST_BACK_OFF_MS = 10_000;
/** A worker that lived this long is replaced at once, as if it were the first to die. */
const GOOD_LIFE_MS = 30_000;

export type RestartReason = 'crashed' | 'hung';

export interface WorkerPoolEvents {
  /** A worker is gone and will be replaced after `backOffMs`. */
  readonly onRestart: (index: number, reason: RestartReason, message: string, backOffMs: number) => void;
  /** A worker can neither be interrupted nor ended: only a new process helps. */
  readonly onStuck: (index: number) => void;
}

/** What a worker needs beyond what all of them share. */
export type SharedWorkerData = Omit<WorkerData, 'index' | 'keys'>;

interface Member {
  thread: Worker;
  state: 'starting' | 'serving' | 'replacing';
  startedAtMs: number;
  backOffMs: number;
  restarts: number;
  /** The heartbeat last seen, and when it moved. */
  beat: number;
  beatAtMs: number;
}

export class WorkerPool {
  readonly #shared: SharedWorkerData;
  readonly #events: WorkerPoolEvents;
  readonly #beatOf: (index: number) => number;
  readonly #members: Member[] = [];
  #keys: PostedKeys;
  #generation: PostedGeneration | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isStopping = false;

  /** `beatOf` reads a worker's heartbeat counter. */
  constructor(
    shared: SharedWorkerData,
    keys: PostedKeys,
    beatOf: (index: number) => number,
    events: WorkerPoolEvents,
  ) {
    this.#shared = shared;
    this.#keys = keys;
    this.#beatOf = beatOf;
    this.#events = events;
  }

  /** Resolves when all listen; rejects with what kept the first from it. */
  async start(count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const member: Member = {
          thread: this.#launch(index),
          state: 'starting',
          startedAtMs: Date.now(),
          backOffMs: FIRST_BACK_OFF_MS,
          restarts: 0,
          beat: 0,
          beatAtMs: Date.now(),
        };
        this.#members.push(member);
        return this.#firstListen(index, member).then(() => this.#supervise(index, member));
      }),
    );
    this.#watch = setInterval(() => this.#checkBeats(), CHECK_MS);
    this.#watch.unref();
  }

  publish(generation: PostedGeneration): void {
    this.#generation = generation;
    this.#broadcast({ kind: 'generation', generation });
  }

  setKeys(keys: PostedKeys): void {
    this.#keys = keys;
    this.#broadcast({ kind: 'keys', keys });
  }

  /** How each worker is, for /status. */
  states(): readonly { readonly state: Member['state']; readonly restarts: number }[] {
    return this.#members.map(({ state, restarts }) => ({ state, restarts }));
  }

  /** Tests only: makes the worker fail. */
  fail(index: number, how: 'throw' | 'hang'): void {
    this.#members[index % this.#members.length].thread.postMessage({ kind: 'fail', how } satisfies ToWorker);
  }

  /** Resolves when every worker has finished what was in flight and ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#watch);
    await Promise.all(
      this.#members.map(({ thread, state }) => {
        if (state === 'replacing') return undefined;
        const ended = new Promise((resolve) => thread.once('exit', resolve));
        thread.postMessage({ kind: 'stop' } satisfies ToWorker);
        return ended;
      }),
    );
  }

  #broadcast(message: ToWorker): void {
    for (const { thread, state } of this.#members) if (state !== 'replacing') thread.postMessage(message);
  }

  #launch(index: number): Worker {
    const data: WorkerData = { ...this.#shared, index, keys: this.#keys };
    const thread = startThread('worker-thread', data);
    const generation = this.#generation;
    if (generation !== undefined) thread.postMessage({ kind: 'generation', generation } satisfies ToWorker);
    return thread;
  }

  #firstListen(index: number, member: Member): Promise<void> {
    return new Promise((resolve, reject) => {
      const onError = (error: Error): void => reject(error);
      const onExit = (status: number): void =>
        reject(new Error(`worker ${index} ended with status ${status}`));
      member.thread.once('error', onError).once('exit', onExit);
      member.thread.on('message', (message: FromWorker) => {
        if (message.kind !== 'listening') return;
        member.thread.off('error', onError).off('exit', onExit);
        resolve();
      });
    });
  }

  #supervise(index: number, member: Member): void {
    const { thread } = member;
    let reason = 'it ended by itself';
    member.state = 'serving';
    member.beatAtMs = Date.now();
    thread.on('message', (message: FromWorker) => {
      if (message.kind === 'failed') reason = message.message;
    });
    thread.on('error', (error) => {
      reason = error.stack ?? error.message;
    });
    thread.once('exit', () => {
      if (this.#isStopping || member.thread !== thread) return;
      const hung = member.state === 'replacing';
      this.#replace(index, member, hung ? 'hung' : 'crashed', reason);
    });
  }

  #replace(index: number, member: Member, reason: RestartReason, message: string): void {
    const livedMs = Date.now() - member.startedAtMs;
    member.backOffMs =
      livedMs > GOOD_LIFE_MS ? FIRST_BACK_OFF_MS : Math.min(LAST_BACK_OFF_MS, member.backOffMs * 2);
    member.state = 'replacing';
    member.restarts++;
    this.#events.onRestart(index, reason, message, member.backOffMs);
    setTimeout(() => {
      if (this.#isStopping) return;
      member.thread = this.#launch(index);
      member.startedAtMs = Date.now();
      this.#supervise(index, member);
    }, member.backOffMs);
  }

  #checkBeats(): void {
    const nowMs = Date.now();
    for (const [index, member] of this.#members.entries()) {
      const beat = this.#beatOf(index);
      if (beat !== member.beat || member.state !== 'serving') {
        member.beat = beat;
        member.beatAtMs = nowMs;
      } else if (nowMs - member.beatAtMs >= HUNG_MS) {
        member.state = 'replacing';
        this.#endHung(index, member.thread);
      }
    }
  }

  /**
   * Ends a worker that no longer runs its loop. Node has no way to end a thread with open sockets, so its
   * running code is interrupted, after which it finds the word to stop among its messages.
   */
  #endHung(index: number, thread: Worker): void {
    thread.postMessage({ kind: 'stop' } satisfies ToWorker);
    interrupt(thread);
    const timer = setTimeout(() => this.#events.onStuck(index), END_MS);
    timer.unref();
    thread.once('exit', () => clearTimeout(timer));
  }
}

/** Makes the code that a thread is running throw, through the inspector. */
function interrupt(thread: Worker): void {
  const session = new Session();
  session.connect();
  session.on('NodeWorker.attachedToWorker', ({ params }) => {
    if (params.workerInfo.title !== `[worker ${thread.threadId}]`) return;
    const message = JSON.stringify({ id: 1, method: 'Runtime.terminateExecution' });
    session.post('NodeWorker.sendMessageToWorker', { sessionId: params.sessionId, message });
  });
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  thread.once('exit', () => session.disconnect());
}
