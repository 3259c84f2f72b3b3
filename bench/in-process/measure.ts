// Timing of tasks with tinybench, and of work too long for it. Independent of the benches: a task is something to run,
// the number of questions that one run answers, and the answers.
//
// A sample is the mean over one run of the task, so p99 is over runs: over single answers only where a run answers
// one question. Tasks run in rounds, taking turns, so that a slow minute of the machine affects all of them;
// medians are compared between rounds to show the spread.

import { createHash } from 'node:crypto';
import { Bench } from 'tinybench';
import { figureOf } from '../figures.ts';

interface Asked {
  readonly name: string;
  /** Describes the questions. Tasks with the same text must answer the same, and are compared with each other. */
  readonly asks: string;
  /** The alternative against which others with the same questions are measured. */
  readonly isBaseline?: boolean;
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
  readonly runOnce: () => number;
}

export type Task = ShortTask | LongTask;

/** What a bench has to measure. */
export interface Prepared {
  /** Describes what the bench runs on. */
  readonly notes: readonly string[];
  readonly tasks: readonly Task[];
}

export interface Row {
  readonly bench: string;
  readonly asks: string;
  readonly name: string;
  readonly isBaseline: boolean;
  /** Nanoseconds per question: the median of the rounds' medians, and the median of their p99. */
  readonly medianNs: number;
  readonly p99Ns: number;
  /** Between the rounds' medians, as a share of `medianNs`. */
  readonly spread: number;
  readonly samples: number;
  /** The baseline's median divided by this one's; null if there is no baseline. */
  readonly timesAsFast: number | null;
  /** Digest of the answers. */
  readonly answers: string | null;
}

export interface Effort {
  /** Per task, over all rounds, without warm-up. */
  readonly timeMs: number;
  readonly rounds: number;
}

const MIN_SAMPLES = 3; // per round; linear loops over the largest products take long
const WARMUP_SHARE = 0.5;
const DIGEST_DIGITS = 12;

/** A task whose run asks about every item. By default, what `ask` returns is the answer; null if it cannot be compared. */
export function askingAll<Item>(
  name: string,
  asks: string,
  items: readonly Item[],
  ask: (item: Item) => number | boolean,
  answer: ((item: Item) => string | Uint8Array) | null = (item) => String(ask(item)),
): ShortTask {
  const run = (): number => {
    let sum = 0;
    for (const item of items) sum += Number(ask(item));
    return sum;
  };
  // One at a time: the next answer may overwrite the bytes of this one.
  const answers = function* () {
    for (const item of items) if (answer !== null) yield answer(item);
  };
  return { name, asks, questions: items.length, run, ...(answer === null ? {} : { answers }) };
}

export function baseline(task: Task): Task {
  return { ...task, isBaseline: true };
}

/** Throws when two tasks with the same questions answer differently. */
export function measure(bench: string, tasks: readonly Task[], effort: Effort): Row[] {
  const digests = tasks.map(({ answers }) => (answers === undefined ? null : digestOf(answers())));
  checkAnswers(bench, tasks, digests);
  for (const task of tasks) if ('runOnce' in task) task.runOnce(); // warm-up; tinybench has its own
  const rounds = tasks.map((): Round[] => []);
  for (let round = 0; round < effort.rounds; round++) {
    tasks.forEach((task, i) => {
      rounds[i].push(measureRound(task, effort.timeMs / effort.rounds));
    });
  }
  const rows = tasks.map(({ asks, name, isBaseline = false }, i) => {
    const { median, spread } = figureOf(rounds[i].map(({ medianNs }) => medianNs));
    return {
      bench,
      asks,
      name,
      isBaseline,
      medianNs: median,
      p99Ns: figureOf(rounds[i].map(({ p99Ns }) => p99Ns)).median,
      spread,
      samples: rounds[i].reduce((sum, { samples }) => sum + samples, 0),
      answers: digests[i],
    };
  });
  return rows.map((row) => {
    const rival = rows.find(({ asks, isBaseline }) => asks === row.asks && isBaseline);
    return { ...row, timesAsFast: rival === undefined ? null : rival.medianNs / row.medianNs };
  });
}

interface Round {
  readonly medianNs: number;
  readonly p99Ns: number;
  readonly samples: number;
}

/** The result of the last run stays reachable, so that no run can be optimised away. */
export let kept: unknown;

function measureRound(task: Task, timeMs: number): Round {
  const { name, asks, questions } = task;
  if ('runOnce' in task) {
    const ns = (task.runOnce() * 1e6) / questions;
    return { medianNs: ns, p99Ns: ns, samples: 1 };
  }
  const bench = new Bench({
    time: timeMs,
    iterations: MIN_SAMPLES,
    warmupTime: timeMs * WARMUP_SHARE,
    warmupIterations: 1,
    throws: true,
  });
  const sample = (): { overriddenDuration: number; overriddenIterationCost: number } => {
    const startMs = performance.now();
    kept = task.run();
    const tookMs = performance.now() - startMs;
    return { overriddenDuration: tookMs / questions, overriddenIterationCost: tookMs };
  };
  const [{ result }] = bench.add(name, sample, { async: false }).runSync();
  if (result.state !== 'completed') throw new Error(`${asks}, ${name}: ${result.state}`);
  const { p50, p99, samplesCount } = result.latency;
  return { medianNs: p50 * 1e6, p99Ns: p99 * 1e6, samples: samplesCount };
}

function checkAnswers(bench: string, tasks: readonly Task[], digests: readonly (string | null)[]): void {
  tasks.forEach(({ asks, name }, i) => {
    const rival = tasks.findIndex((other, j) => other.asks === asks && digests[j] !== null);
    if (digests[i] === null || digests[i] === digests[rival]) return;
    throw new Error(
      `${bench}, ${asks}: "${name}" answers ${digests[i]}, "${tasks[rival].name}" answers ${digests[rival]}`,
    );
  });
}

/** The first hex digits of SHA-256 over the answers, each preceded by its length. */
function digestOf(answers: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const answer of answers) {
    const text = withoutBlanks(typeof answer === 'string' ? answer : Buffer.from(answer).toString());
    hash.update(`${text.length}:`).update(text);
  }
  return hash.digest('hex').slice(0, DIGEST_DIGITS);
}

/** JSON values, or a list of them, in their shortest form: our answers have spaces where that makes copying faster. */
function withoutBlanks(answer: string): string {
  return answer.startsWith('{') || answer.startsWith('[')
    ? JSON.stringify(JSON.parse(`[${answer}]`))
    : answer;
}
