// What one batch may write. Equal items are answered once and copied, unless making the answer again costs no more. An answer that does not fit into the output
// budget is taken back, and when too much was taken back, no further answer is tried: the work for a batch is bounded
// as its size is.

import type { Lookup } from '../../index/lookup/lookup.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';

export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** For what is written whatever the budget says: booleans, errors and the items echoed in them. */
const SPARE_BYTES = 256 * 1024;
const WORTH_BYTES = 16 * 1024; // without details a shorter answer is made in the time that remembering one takes
const MAX_TAKEN_BACK_BYTES = MAX_OUTPUT_BYTES; // so one item that is too large does not cost the others their answer

interface Stretch {
  readonly start: number;
  readonly end: number;
}

export class BatchBudget {
  readonly #out: AnswerBuffer;
  readonly #leastBytes: number;
  /** By item: where its answer stands. */
  readonly #answers = new Map<string, Stretch>();
  #takenBackBytes = 0;

  /** Requires: a buffer that was restarted for this batch. */
  constructor(out: AnswerBuffer, withDetails: boolean) {
    this.#out = out;
    this.#leastBytes = withDetails ? 0 : WORTH_BYTES;
    out.limitTo(MAX_OUTPUT_BYTES + SPARE_BYTES);
  }

  /** Appends the answer of an item, which `write` appends too. False, and nothing is appended, when it does not fit. */
  spend(item: Lookup, write: () => void): boolean {
    const out = this.#out;
    const equal = this.#answers.size === 0 ? undefined : this.#answers.get(keyOf(item));
    if (equal !== undefined) {
      if (out.length + equal.end - equal.start > MAX_OUTPUT_BYTES) return false;
      out.piece(out.view().subarray(equal.start, equal.end));
      return true;
    }
    if (this.#takenBackBytes > MAX_TAKEN_BACK_BYTES) return false;
    const start = out.length;
    if (writesWhole(write) && out.length <= MAX_OUTPUT_BYTES) {
      if (out.length - start >= this.#leastBytes) this.#answers.set(keyOf(item), { start, end: out.length });
      return true;
    }
    this.#takenBackBytes += Math.min(out.length, MAX_OUTPUT_BYTES) - start;
    out.truncate(start);
    return false;
  }
}

/** The same for items that are sure to get the same answer. Requires: names and types without control characters. */
function keyOf({ type, name, version }: Lookup): string {
  return `${type}\n${name}\n${version}`;
}

/** Whether there was room for all of it. */
function writesWhole(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (error instanceof WriterFullError) return false;
    throw error;
  }
}
