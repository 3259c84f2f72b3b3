// How far a command is: one line that is rewritten on a terminal, one line a second elsewhere, so that a log gets whole
// lines and nobody takes a long import for one that hangs.

import { megabytes } from './figures.ts';

export interface ProgressPlan {
  readonly label: string;
  /** `bytes` are shown in MB; anything else as a count of that unit. */
  readonly unit: string;
  /** The total amount of work, for a percentage; without it the count is shown. */
  readonly total?: number;
}

export interface Progress {
  /** Adds to the work done. Cheap: call it as often as convenient. */
  advance(amount: number): void;
  /** Clears the line of a terminal. Nothing is shown afterwards. */
  end(): void;
}

/** The parts of a stream used here: `process.stderr`, or a stand-in. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export const SILENT: Progress = { advance() {}, end() {} };

const UPDATE_MS = 100;
const LINE_MS = 1000;
const TO_LINE_START_AND_CLEAR = '\r\u001b[K';

/** `nowMs` is a monotonic clock. */
export function showProgress(
  plan: ProgressPlan,
  output: ProgressOutput = process.stderr,
  nowMs: () => number = () => performance.now(),
): Progress {
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
    const width = (this.#output.columns ?? 80) - 1; // a full last column wraps, and only one line is cleared
    const text = textOf(this.#plan, this.#done, now - this.#startMs);
    this.#output.write(`${TO_LINE_START_AND_CLEAR}${text.slice(0, width)}`);
  }

  end(): void {
    this.#isOver = true;
    if (this.#isShown) this.#output.write(TO_LINE_START_AND_CLEAR);
    this.#isShown = false;
  }
}

/** The first line comes a second after the first piece of work: short work, and waiting for input, show nothing. */
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
    this.#output.write(`${textOf(this.#plan, this.#done, now - this.#startMs)}\n`);
  }

  end(): void {
    this.#isOver = true;
  }
}

function textOf({ label, unit, total }: ProgressPlan, done: number, elapsedMs: number): string {
  // The total can be too low, for example when a file grows while it is read.
  const share = total ? `${Math.min(100, Math.floor((100 * done) / total))} %` : amountOf(done, unit);
  return `${label} ${share}, ${amountOf((done * 1000) / elapsedMs, unit)}/s`;
}

function amountOf(value: number, unit: string): string {
  if (unit === 'bytes') return megabytes(value);
  return `${Math.round(value).toLocaleString('en-US')} ${unit}`;
}
