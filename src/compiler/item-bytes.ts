// How many bytes each prepared item takes, so that a loader knows where each lies before any is prepared. The
// items are written by what the loader prepares them with, and dropped.

import { type ItemColumns, ItemWriter, poolVersions } from '../index/items/item-writer.ts';
import { ByteWriter } from '../index/memory/byte-writer.ts';
import { PackedCursor } from '../index/memory/packed-cursor.ts';
import { plainPackr } from './blocks.ts';

const FIRST_BYTES = 64 << 10;
const MAX_BYTES = 2 ** 32 - 1; // the column has 32 bits
const ITEMS_PER_TURN = 4096; // about ten milliseconds

/**
 * Yields now and then the number of items measured. `textAt` returns the packed row of an ordinal's listed
 * texts, `known` what its item takes if that is known.
 */
export function* measureItems(
  columns: ItemColumns,
  textAt: (ordinal: number) => Uint8Array,
  known: (ordinal: number) => number | undefined = () => undefined,
): Generator<number, Uint32Array> {
  const { termStart, termBytes } = columns;
  const termAt = (term: number): unknown =>
    plainPackr.unpack(termBytes.subarray(termStart[term], termStart[term + 1]));
  const out = new ByteWriter((size) => new Uint8Array(size), FIRST_BYTES, MAX_BYTES);
  const writer = new ItemWriter(columns, poolVersions(columns), termAt, out);
  const itemBytes = new Uint32Array(columns.advisoryId.length);
  for (let ordinal = 0; ordinal < itemBytes.length; ordinal++) {
    if (ordinal % ITEMS_PER_TURN === 0) yield ordinal;
    const knownBytes = known(ordinal);
    if (knownBytes !== undefined) {
      itemBytes[ordinal] = knownBytes;
      continue;
    }
    const row = textAt(ordinal);
    const cursor = new PackedCursor(row);
    cursor.enter(0, row.length);
    out.truncate(0);
    writer.write(ordinal, cursor);
    itemBytes[ordinal] = out.length;
  }
  return itemBytes;
}
