// Times tasks in turn, with tinybench. A task is something to run, the number of questions that one run
// answers, and the answers; tasks that ask the same must answer the same. One process measures one start;
// rows.ts puts several of them together.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Bench, type Fn } from 'tinybench';

export interface Task {
  readonly name: string;
  /**
   * Describes the questions. Of tasks with the same text, the first is ours, and the others are compared with
   * it.
   */
  readonly asks: string;
  /** Questions that one run answers. */
  readonly questions: number;
  /** Returns tinybench's `overriddenDuration` if only a part of the run counts. */
  readonly run: Fn;
  /** The answers as text or bytes; absent if the task's answers have a different form than its rivals'. */
  readonly answers?: () => Iterable<string | Uint8Array>;
}

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
  /**
   * CPU time of the whole process, with what its threads and the garbage collector take, and the parts of a
   * run that `overriddenDuration` leaves out. About 0.15 us of each run are tinybench's.
   */
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
  /** What a task runs for in a round. It runs at least once. */
  readonly roundMs: number;
  readonly rounds: number;
}

const DIGEST_DIGITS = 12;

/** What the last run summed up stays reachable, so that no run can be optimised away. */
export let kept: number;

/** A task whose run asks about every item. By default, what `ask` returns is the answer. */
export function askingAll<Item>(
  name: string,
  asks: string,
  items: readonly Item[],
  ask: (item: Item) => number | boolean,
  answer: (item: Item) => string | Uint8Array = (item) => String(ask(item)),
): Task {
  const run = (): void => {
    let sum = 0;
    for (const item of items) sum += Number(ask(item));
    kept = sum;
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
  // With tinybench's own warm-up, each round would begin with one.
  const bench = new Bench({ time: roundMs, iterations: 1, warmup: false, throws: true });
  const cpu: NodeJS.CpuUsage[] = [];
  for (const [i, { asks, name, run }] of tasks.entries()) {
    bench.add(`${asks}: ${name}`, run, {
      beforeAll: () => {
        cpu[i] = process.cpuUsage();
      },
      afterAll: () => {
        cpu[i] = process.cpuUsage(cpu[i]);
      },
    });
  }
  const measured = tasks.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, { result }] of (await bench.run()).entries()) {
      assert(result.state === 'completed');
      if (round === 0) continue;
      const { p50, samplesCount } = result.latency;
      const { questions } = tasks[i];
      const [user, system] = [cpu[i].user, cpu[i].system].map((us) => (us * 1e3) / questions / samplesCount);
      measured[i].push({ wall: (p50 * 1e6) / questions, user, system });
    }
    bench.reset();
  }
  return tasks.map(({ asks, name }, i) => ({ asks, name, answers: digests[i], rounds: measured[i] }));
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
