// Prints the first few problems of each kind and counts the rest: a real export has thousands of lines of the
// same kind.

import { formatCount } from '../snapshot-report.ts';

const SHOWN_PER_REASON = 10;
/** Distinct reasons to tell apart; a source may put its own words into them. */
const MAX_REASONS = 200;

export class LimitedReport {
  readonly #report: (line: string) => void;
  readonly #isComplete: boolean;
  readonly #counts = new Map<string, number>();
  #others = 0;

  /** One that is complete prints all of them. */
  constructor(report: (line: string) => void, isComplete = false) {
    this.#report = report;
    this.#isComplete = isComplete;
  }

  /**
   * `text` says what is wrong at `place`; quoted values and numbers in it do not make it another kind;
   * those of a word, as in pep440, are its name.
   */
  add(place: string, text: string): void {
    if (this.#isComplete) {
      this.#report(`${place}: ${text}`);
      return;
    }
    const reason = text.replace(/"(?:[^"\\]|\\.)*"/g, '"…"').replace(/(?<![a-z\d])\d+/gi, 'N');
    const count = this.#counts.get(reason) ?? 0;
    if (count === 0 && this.#counts.size === MAX_REASONS) {
      this.#others++;
      return;
    }
    this.#counts.set(reason, count + 1);
    if (count < SHOWN_PER_REASON) this.#report(`${place}: ${text}`);
  }

  /** Says how many were not printed. */
  end(): void {
    for (const [reason, count] of this.#counts) {
      const more = count - SHOWN_PER_REASON;
      if (more > 0) this.#report(`… and ${formatCount(more)} more like: ${reason}`);
    }
    if (this.#others > 0) {
      this.#report(`… and ${formatCount(this.#others)} other problems`);
    }
    this.#counts.clear();
    this.#others = 0;
  }
}
