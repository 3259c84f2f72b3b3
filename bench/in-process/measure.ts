// Times tasks in turn. A task is something to run, the number of questions that one run answers, and the
// answers; tasks that ask the same must answer the same. One process measures one start; rows.ts puts several
// of them together.

import { createHash } from 'node:crypto';
import { figureOf } from '../figures.ts';

interface Asked {
  readonly name: string;
  /**
   * Describes the questions. Of tasks with the same text, the first is ours, and the others are compared with
   * it.
   */
  readonly asks: string;
  /** Questions that one run answers. */
  readonly questions: number;
  /** The answers as text or bytes; absent if the task's answers have a different form than its rivals'. */
  readonly answers?: () => Iterable<string | Uint8Array>;
}

export interface ShortTask extends Asked {
  readonly run: () => unknown;
}

/** Work of seconds, done once per round. */
export interface LongTask extends Asked {
  /** Returns how many milliseconds of it count. */
  readonly runOnce: () => number | Promise<number>;
}

export type Task = ShortTask | LongTask;

/** What a bench has to measure. */
export interface Prepared {
  /** Describes what the bench runs on. */
  readonly notes: readonly string[];
  readonly tasks: readonly Task[];
}

/** Nanoseconds per question. */
export interface Round {
  /** The median of the runs. */
  readonly wall: number;
  /** CPU time of the whole process, with what its threads and the garbage collector take. */
  readonly user: number;
  readonly system: number;
}

export interface Timed {
  readonly asks: string;
  readonly name: string;
  /** Digest of the answers. */
  readonly answers: string | null;
  readonly rounds: readonly Round[];
}

export interface Effort {
  /** Of a round of a short task. */
  readonly roundMs: number;
  readonly rounds: number;
}

const DIGEST_DIGITS = 12;

/** A task whose run asks about every item. By default, what `ask` returns is the answer. */
export function askingAll<Item>(
  name: string,
  asks: string,
  items: readonly Item[],
  ask: (item: Item) => number | boolean,
  answer: (item: Item) => string | Uint8Array = (item) => String(ask(item)),
): ShortTask {
  const run = (): number => {
    let sum = 0;
    for (const item of items) sum += Number(ask(item));
    return sum;
  };
  // One at a time: the next answer may overwrite the bytes of this one.
  const answers = function* () {
    for (const item of items) yield answer(item);
  };
  return { name, asks, questions: items.length, run, answers };
}

/**
 * Each task in each round, after one that warms up. Throws when two with the same questions answer
 * differently.
 */
export async function measure(tasks: readonly Task[], { roundMs, rounds }: Effort): Promise<Timed[]> {
  const digests = tasks.map(({ answers }) => (answers === undefined ? null : digestOf(answers())));
  checkAnswers(tasks, digests);
  const measured = tasks.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, task] of tasks.entries()) {
      const result = await measureRound(task, roundMs);
      if (round > 0) measured[i].push(result);
    }
  }
  return tasks.map(({ asks, name }, i) => ({ asks, name, answers: digests[i], rounds: measured[i] }));
}

/** The result of the last run stays reachable, so that no run can be optimised away. */
export let kept: unknown;

async function measureRound(task: Task, roundMs: number): Promise<Round> {
  const { questions } = task;
  const before = process.cpuUsage();
  const runsMs: number[] = [];
  if ('runOnce' in task) runsMs.push(await task.runOnce());
  else {
    const endMs = performance.now() + roundMs;
    for (let startMs = performance.now(); startMs < endMs || runsMs.length === 0; ) {
      kept = task.run();
      const nowMs = performance.now();
      runsMs.push(nowMs - startMs);
      startMs = nowMs;
    }
  }
  const { user, system } = process.cpuUsage(before);
  const asked = questions * runsMs.length;
  return {
    wall: (figureOf(runsMs).median * 1e6) / questions,
    user: (user * 1e3) / asked,
    system: (system * 1e3) / asked,
  };
}

function checkAnswers(tasks: readonly Task[], digests: readonly (string | null)[]): void {
  tasks.forEach(({ asks, name }, i) => {
    const rival = tasks.findIndex((other, j) => other.asks === asks && digests[j] !== null);
    if (digests[i] === null || digests[i] === digests[rival]) return;
    throw new Error(
      `${asks}: "${name}" answers ${digests[i]}, "${tasks[rival].name}" answers ${digests[rival]}`,
    );
  });
}

/** The first hex digits of SHA-256 over the answers, each preceded by its length. */
function digestOf(answers: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const answer of answers) hash.update(`${answer.length}:`).update(answer);
  return hash.digest('hex').slice(0, DIGEST_DIGITS);
}
