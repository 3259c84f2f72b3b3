// A one-line progress display on a terminal. Silent elsewhere, so that a log gets no partial lines.

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
  /** Clears the line. Nothing is shown afterwards. */
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
const TO_LINE_START_AND_CLEAR = '\r\u001b[K';

/** A progress line on `output`, or SILENT if that is not a terminal. `nowMs` is a monotonic clock. */
export function showProgress(
  plan: ProgressPlan,
  output: ProgressOutput = process.stderr,
  nowMs: () => number = () => performance.now(),
): Progress {
  return output.isTTY === true ? new ProgressLine(plan, output, nowMs) : SILENT;
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
    this.#output.write(`${TO_LINE_START_AND_CLEAR}${this.#text(now).slice(0, width)}`);
  }

  end(): void {
    this.#isOver = true;
    if (this.#isShown) this.#output.write(TO_LINE_START_AND_CLEAR);
    this.#isShown = false;
  }

  #text(now: number): string {
    const { label, unit, total } = this.#plan;
    const rate = (this.#done * 1000) / (now - this.#startMs);
    // The total can be too low, for example when a file grows while it is read.
    const share = total
      ? `${Math.min(100, Math.floor((100 * this.#done) / total))} %`
      : amountOf(this.#done, unit);
    return `${label} ${share}, ${amountOf(rate, unit)}/s`;
  }
}

function amountOf(value: number, unit: string): string {
  if (unit === 'bytes') return megabytes(value);
  return `${Math.round(value).toLocaleString('en-US')} ${unit}`;
}
