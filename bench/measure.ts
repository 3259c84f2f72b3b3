// Timing of tasks with tinybench, and of work too long for it. Independent of the benches: a task is something to run,
// the number of questions that one run answers, and the answers.
//
// A sample is the mean over one run of the task, so p99 is over runs: over single answers only where a run answers
// one question. Tasks run in rounds, taking turns, so that a slow minute of the machine affects all of them;
// medians are compared between rounds to show the spread.

import { Bench } from 'tinybench';
import { digestOf } from './digest.ts';

export interface Task {
  readonly name: string;
  /** Describes the questions. Tasks with the same text must answer the same, and are compared with each other. */
  readonly asks: string;
  /** The alternative against which others with the same questions are measured. */
  readonly isBaseline?: boolean;
  /** Questions that one run answers. */
  readonly questions: number;
  readonly run: () => unknown;
  /** The answers as text or bytes; absent if the task's answers have a different form than its rivals'. */
  readonly answers?: () => Iterable<string | Uint8Array>;
}

export interface Row {
  readonly bench: string;
  readonly asks: string;
  readonly name: string;
  readonly isBaseline: boolean;
  /**
   * Nanoseconds per question: the median of the rounds' medians, the median of their p99. For work that runs once per
   * round, the median and the slowest.
   */
  readonly medianNs: number;
  readonly p99Ns: number;
  /** The fastest and the slowest round's median. */
  readonly minNs: number;
  readonly maxNs: number;
  readonly questionsPerSample: number;
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

type RowWithoutRatio = Omit<Row, 'timesAsFast'>;

const MIN_SAMPLES = 3; // per round; linear loops over the largest products take long
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
  const rows = tasks.map((task, i): RowWithoutRatio => {
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
  /** Does the work and returns how many milliseconds of it count. */
  readonly run: () => number;
  readonly answers?: () => Iterable<string>;
}

/** Rows of tasks that take turns for `rounds` rounds, after one uncounted round. Nanoseconds per advisory. */
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
  const rows = tasks.map((task, i): RowWithoutRatio => {
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

/** The result of the last run stays reachable, so that no run can be optimised away. */
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

function withRatios(rows: readonly RowWithoutRatio[]): Row[] {
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
