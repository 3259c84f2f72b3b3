// The dictionary for deflating blocks of details: pieces of the snapshot's own details. Decides which pieces and how
// many; blocks.ts does the deflating. docs/decisions/0007 has the figures.

import { DETAIL_BLOCK_ADVISORIES, MAX_DETAIL_DICTIONARY_BYTES } from '../index/columns.ts';
import type { DetailRecord } from '../index/items/detail-record.ts';
import { plainPackr } from './blocks.ts';

const SAMPLE_BYTES = 1024; // from the beginning of a block
const MAX_SAMPLES = MAX_DETAIL_DICTIONARY_BYTES / SAMPLE_BYTES;
/** A small snapshot gets a small dictionary: with twice as many samples, some take more than they save. */
const ADVISORIES_PER_SAMPLE = 256;

/**
 * At most MAX_DETAIL_DICTIONARY_BYTES, and empty for a snapshot too small to benefit. The same records in the same
 * order give the same bytes.
 */
export function sampleDetails(count: number, recordAt: (ordinal: number) => DetailRecord): Uint8Array {
  const sampleCount = Math.min(MAX_SAMPLES, Math.floor(count / ADVISORIES_PER_SAMPLE));
  const blockCount = Math.ceil(count / DETAIL_BLOCK_ADVISORIES);
  const samples = Array.from({ length: sampleCount }, (_, i) => {
    // From the middle of equal ranges, so that each platform has its share and the newest do not dominate.
    const first = Math.floor(((i + 0.5) * blockCount) / sampleCount) * DETAIL_BLOCK_ADVISORIES;
    // Half a range is 16 blocks or more, so the last block, which may not be full, is never sampled.
    const rows = Array.from({ length: DETAIL_BLOCK_ADVISORIES }, (_, row) => recordAt(first + row));
    return plainPackr.pack(rows).subarray(0, SAMPLE_BYTES);
  });
  return Buffer.concat(samples);
}
