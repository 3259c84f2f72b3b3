// What one batch may write. Equal items are answered once and copied, unless making the answer again costs no
// more. An answer that exceeds the output budget is dropped; once too much was dropped, no further answer is
// tried. So the work for a batch is bounded, like its size.

import type { Lookup } from '../../index/lookup/lookup.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';
import { MAX_OUTPUT_BYTES } from '../batch-request.ts';

/** For what is written regardless of the budget: booleans, errors and the items echoed in them. */
const SPARE_BYTES = 256 * 1024;
const WORTH_BYTES = 16 * 1024; // without details, making a shorter answer takes no longer than remembering it
// So that one oversized item does not cost the others their answers.
const MAX_DROPPED_BYTES = MAX_OUTPUT_BYTES;

interface Stretch {
  readonly start: number;
  readonly end: number;
}

export class BatchBudget {
  readonly #out: AnswerBuffer;
  readonly #leastBytes: number;
  /** By item: where its answer is. */
  readonly #answers = new Map<string, Stretch>();
  #droppedBytes = 0;

  /** Requires: a buffer that was restarted for this batch. */
  constructor(out: AnswerBuffer, withDetails: boolean) {
    this.#out = out;
    this.#leastBytes = withDetails ? 0 : WORTH_BYTES;
    out.limitTo(MAX_OUTPUT_BYTES + SPARE_BYTES);
  }

  /**
   * Appends the answer to an item, as a copy or by `write`. Returns false and appends nothing if it does not
   * fit.
   */
  spend(item: Lookup, write: () => void): boolean {
    const out = this.#out;
    const equal = this.#answers.size === 0 ? undefined : this.#answers.get(keyOf(item));
    if (equal !== undefined) {
      if (out.length + equal.end - equal.start > MAX_OUTPUT_BYTES) return false;
      out.piece(out.view().subarray(equal.start, equal.end));
      return true;
    }
    if (this.#droppedBytes > MAX_DROPPED_BYTES) return false;
    const start = out.length;
    if (writesWhole(write) && out.length <= MAX_OUTPUT_BYTES) {
      if (out.length - start >= this.#leastBytes) this.#answers.set(keyOf(item), { start, end: out.length });
      return true;
    }
    this.#droppedBytes += Math.min(out.length, MAX_OUTPUT_BYTES) - start;
    out.truncate(start);
    return false;
  }
}

/** Equal only for items with the same answer. Requires: names and types without control characters. */
function keyOf({ type, name, version }: Lookup): string {
  return `${type}\n${name}\n${version}`;
}

/** Whether all of it fitted. */
function writesWhole(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (error instanceof WriterFullError) return false;
    throw error;
  }
}
