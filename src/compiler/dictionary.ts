// The dictionary against which the blocks of a section are deflated: pieces of the section's own rows.
// Decides which pieces and how many; deflate-blocks.ts does the deflating. docs/decisions/0007 has the
// figures.

import { MAX_DICTIONARY_BYTES } from '../index/columns.ts';
import { Block } from './blocks.ts';

const SAMPLE_BYTES = 1024; // from the beginning of a block
const MAX_SAMPLES = MAX_DICTIONARY_BYTES / SAMPLE_BYTES;
/** A small section gets a small dictionary: with twice as many samples, some take more than they save. */
const ROWS_PER_SAMPLE = 256;

/**
 * At most MAX_DICTIONARY_BYTES, and empty for a section too small to benefit. Depends on the rows and their
 * order alone. `rowAt` returns a packed row, valid until its next call.
 */
export function sampleRows(
  count: number,
  rowsPerBlock: number,
  rowAt: (index: number) => Uint8Array,
): Uint8Array {
  const sampleCount = Math.min(MAX_SAMPLES, Math.floor(count / ROWS_PER_SAMPLE));
  const blockCount = Math.ceil(count / rowsPerBlock);
  const block = new Block();
  const samples = Array.from({ length: sampleCount }, (_, i) => {
    // From the middle of equal ranges, so that each platform has its share and the newest do not dominate.
    const first = Math.floor(((i + 0.5) * blockCount) / sampleCount) * rowsPerBlock;
    // Half a range is 16 blocks or more, so the last block, which may not be full, is never sampled.
    for (let row = 0; row < rowsPerBlock; row++) block.add(rowAt(first + row));
    return Buffer.from(block.take().subarray(0, SAMPLE_BYTES)); // a copy
  });
  return Buffer.concat(samples);
}
