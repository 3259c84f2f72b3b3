// Timing of tasks with tinybench, and of work too long for it. Knows no bench: a task is something to run, the
// number of questions it answers in one go, and what it answers.
//
// A sample is the mean over one run of the task, so p99 is that of runs: of single answers only where a run answers
// one question. Every task gets its time in rounds, taking turns with the others, so that a slow minute of the
// machine falls on all of them; medians are compared between rounds to show the spread.

import { Bench } from 'tinybench';
import { digestOf } from './digest.ts';

export interface Task {
  readonly name: string;
  /** The questions in words. Tasks with the same words must answer the same, and are compared with each other. */
  readonly asks: string;
  /** The named alternative that others with the same questions are measured against. */
  readonly isBaseline?: boolean;
  /** Questions that one run answers. */
  readonly questions: number;
  readonly run: () => unknown;
  /** The answers in words or bytes; absent where the task's answers are of another shape than its rivals'. */
  readonly answers?: () => Iterable<string | Uint8Array>;
}

export interface Row {
  readonly bench: string;
  readonly asks: string;
  readonly name: string;
  readonly isBaseline: boolean;
  /**
   * Nanoseconds a question: the median of the rounds' medians, the median of their p99. For what runs once a round,
   * the median and the slowest.
   */
  readonly medianNs: number;
  readonly p99Ns: number;
  /** The fastest and the slowest round's median. */
  readonly minNs: number;
  readonly maxNs: number;
  readonly questionsPerSample: number;
  readonly samples: number;
  /** The baseline's median through this one's; null where there is no baseline. */
  readonly timesAsFast: number | null;
  /** Digest of the answers. */
  readonly answers: string | null;
}

export interface Effort {
  /** For each task, over all rounds, warming up left out. */
  readonly timeMs: number;
  readonly rounds: number;
}

type Untold = Omit<Row, 'timesAsFast'>;

const MIN_SAMPLES = 3; // a round's; linear loops over the largest products take long
const WARMUP_SHARE = 0.5;

/** Throws when two tasks with the same questions answer differently. */
export function measure(bench: string, tasks: readonly Task[], effort: Effort): Row[] {
  const answers = tasks.map((task) => (task.answers === undefined ? null : digestOf(task.answers())));
  checkAnswers(bench, tasks, answers);
  const rounds = tasks.map((): Round[] => []);
  for (let round = 0; round < effort.rounds; round++) {
    tasks.forEach((task, i) => {
      rounds[i].push(measureRound(task, effort.timeMs / effort.rounds));
    });
  }
  const rows = tasks.map((task, i): Untold => {
    const medians = rounds[i].map(({ medianNs }) => medianNs).sort(ascending);
    return {
      bench,
      asks: task.asks,
      name: task.name,
      isBaseline: task.isBaseline === true,
      medianNs: medianOf(medians),
      p99Ns: medianOf(rounds[i].map(({ p99Ns }) => p99Ns).sort(ascending)),
      minNs: medians[0],
      maxNs: medians[medians.length - 1],
      questionsPerSample: task.questions,
      samples: rounds[i].reduce((sum, { samples }) => sum + samples, 0),
      answers: answers[i],
    };
  });
  return withRatios(rows);
}

export interface LongTask {
  readonly name: string;
  readonly isBaseline?: boolean;
  /** Does the work and says how many milliseconds of it count. */
  readonly run: () => number;
  readonly answers?: () => Iterable<string>;
}

/** Rows of works that take turns for `rounds` rounds; the one before them is not counted. Nanoseconds an advisory. */
export function takeTurns(
  bench: string,
  asks: string,
  tasks: readonly LongTask[],
  rounds: number,
  advisories: number,
): Row[] {
  const times = tasks.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    tasks.forEach((task, i) => {
      const ms = task.run();
      if (round > 0) times[i].push((ms * 1e6) / advisories);
    });
  }
  const rows = tasks.map((task, i): Untold => {
    const sorted = times[i].sort(ascending);
    return {
      bench,
      asks,
      name: task.name,
      isBaseline: task.isBaseline === true,
      medianNs: medianOf(sorted),
      p99Ns: sorted[sorted.length - 1],
      minNs: sorted[0],
      maxNs: sorted[sorted.length - 1],
      questionsPerSample: advisories,
      samples: sorted.length,
      answers: task.answers === undefined ? null : digestOf(task.answers()),
    };
  });
  return withRatios(rows);
}

interface Round {
  readonly medianNs: number;
  readonly p99Ns: number;
  readonly samples: number;
}

/** What the last run gave stays reachable, so that no run can be optimised away. */
export let kept: unknown;

function measureRound(task: Task, timeMs: number): Round {
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
    return { overriddenDuration: tookMs / task.questions, overriddenIterationCost: tookMs };
  };
  const [{ result }] = bench.add(task.name, sample, { async: false }).runSync();
  if (result.state !== 'completed') throw new Error(`${task.asks}, ${task.name}: ${result.state}`);
  const { p50, p99, samplesCount } = result.latency;
  return { medianNs: p50 * 1e6, p99Ns: p99 * 1e6, samples: samplesCount };
}

function checkAnswers(bench: string, tasks: readonly Task[], answers: readonly (string | null)[]): void {
  tasks.forEach((task, i) => {
    const rival = tasks.findIndex((other, j) => other.asks === task.asks && answers[j] !== null);
    if (answers[i] === null || answers[i] === answers[rival]) return;
    throw new Error(
      `${bench}, ${task.asks}: "${task.name}" answers ${answers[i]}, "${tasks[rival].name}" answers ${answers[rival]}`,
    );
  });
}

function withRatios(rows: readonly Untold[]): Row[] {
  return rows.map((row) => {
    const baseline = rows.find((other) => other.asks === row.asks && other.isBaseline);
    return { ...row, timesAsFast: baseline === undefined ? null : baseline.medianNs / row.medianNs };
  });
}

function medianOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)];
}

function ascending(a: number, b: number): number {
  return a - b;
}
