// How far a command is: one line that is rewritten on a terminal; elsewhere a line each half minute, so that
// a log gets whole lines, nobody takes a long import for one that hangs, and short ones of a timer stay
// silent.

import { durationOf, megabytes } from './figures.ts';

export interface ProgressPlan {
  readonly label: string;
  /** `bytes` are shown in MB; anything else as a count of that unit. */
  readonly unit: string;
  /** The total amount of work, for a percentage and the time left; without it the count is shown. */
  readonly total?: number;
}

export interface Progress {
  /** Adds to the work done. Cheap: call it as often as convenient. */
  advance(amount: number): void;
  /** Clears the line of a terminal. Nothing is shown afterwards. */
  end(): void;
}

/** The parts of a stream used here: `process.stderr`, or a stand-in. */
interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export const SILENT: Progress = { advance() {}, end() {} };

const UPDATE_MS = 100;
const LINE_MS = 30_000;
const LEAST_ETA_MS = 2000; // before that, the rate says little about the rest
const LEAST_LABEL_CHARS = 8;
const TO_LINE_START_AND_CLEAR = '\r\u001b[K';

let isHidden = false;

/** Whether progress is shown on standard error from now on: a command decides that before its work. */
export function setProgressHidden(hidden: boolean): void {
  isHidden = hidden;
}

/** `nowMs` is a monotonic clock. */
export function showProgress(
  plan: ProgressPlan,
  output: ProgressOutput = process.stderr,
  nowMs: () => number = () => performance.now(),
): Progress {
  if (isHidden && output === process.stderr) return SILENT;
  return output.isTTY === true ? new ProgressLine(plan, output, nowMs) : new ProgressLog(plan, output, nowMs);
}

class ProgressLine implements Progress {
  readonly #plan: ProgressPlan;
  readonly #output: ProgressOutput;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #done = 0;
  #nextMs: number;
  #isShown = false;
  #isOver = false;

  constructor(plan: ProgressPlan, output: ProgressOutput, nowMs: () => number) {
    this.#plan = plan;
    this.#output = output;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
    this.#nextMs = this.#startMs + UPDATE_MS; // shorter work shows nothing
  }

  advance(amount: number): void {
    this.#done += amount;
    const now = this.#nowMs();
    if (now < this.#nextMs || this.#isOver) return;
    this.#nextMs = now + UPDATE_MS;
    this.#isShown = true;
    // Some terminals say 0. A full last column wraps, and only one line is cleared.
    const width = (this.#output.columns || 80) - 1;
    this.#output.write(
      `${TO_LINE_START_AND_CLEAR}${lineOf(this.#plan, this.#done, now - this.#startMs, width)}`,
    );
  }

  end(): void {
    this.#isOver = true;
    if (this.#isShown) this.#output.write(TO_LINE_START_AND_CLEAR);
    this.#isShown = false;
  }
}

/**
 * The first line comes half a minute after the first piece of work: shorter work, and waiting for input, show
 * nothing.
 */
class ProgressLog implements Progress {
  readonly #plan: ProgressPlan;
  readonly #output: ProgressOutput;
  readonly #nowMs: () => number;
  #startMs: number | undefined;
  #done = 0;
  #nextMs = 0;
  #isOver = false;

  constructor(plan: ProgressPlan, output: ProgressOutput, nowMs: () => number) {
    this.#plan = plan;
    this.#output = output;
    this.#nowMs = nowMs;
  }

  advance(amount: number): void {
    const now = this.#nowMs();
    this.#done += amount;
    if (this.#startMs === undefined) {
      this.#startMs = now;
      this.#nextMs = now + LINE_MS;
    }
    if (now < this.#nextMs || this.#isOver) return;
    this.#nextMs = now + LINE_MS;
    this.#output.write(`${lineOf(this.#plan, this.#done, now - this.#startMs)}\n`);
  }

  end(): void {
    this.#isOver = true;
  }
}

/** What does not fit the width is taken from the label: the figures are what changes. */
function lineOf(
  { label, unit, total }: ProgressPlan,
  done: number,
  elapsedMs: number,
  width = Number.POSITIVE_INFINITY,
): string {
  const figures = [
    // The total can be too low, for example when a file grows while it is read.
    total ? `${Math.min(100, Math.floor((100 * done) / total))} %` : amountOf(done, unit),
    `${amountOf((done * 1000) / elapsedMs, unit)}/s`,
    ...timeLeft(done, total, elapsedMs),
  ].join(', ');
  const room = Math.max(LEAST_LABEL_CHARS, width - figures.length - 1);
  const shown = label.length <= room ? label : `${label.slice(0, room - 1)}…`;
  return `${shown} ${figures}`.slice(0, width);
}

function timeLeft(done: number, total: number | undefined, elapsedMs: number): readonly string[] {
  if (!total || done <= 0 || done >= total || elapsedMs < LEAST_ETA_MS) return [];
  return [`${durationOf((elapsedMs * (total - done)) / done)} left`];
}

function amountOf(value: number, unit: string): string {
  if (unit === 'bytes') return megabytes(value);
  return `${Math.round(value).toLocaleString('en-US')} ${unit}`;
}
