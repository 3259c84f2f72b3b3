// Cuts a packed block into its rows without decoding them: the rows of an earlier snapshot are copied as they
// are.

import { PackedCursor, PackedError } from '../index/memory/packed-cursor.ts';

/** The rows of a MessagePack array, as views. Throws PackedError for what is not one array of them. */
export function rowsOf(block: Uint8Array): Uint8Array[] {
  const cursor = new PackedCursor(block);
  cursor.enter(0, block.length);
  const rows: Uint8Array[] = [];
  for (let left = cursor.array(); left > 0; left--) {
    const start = cursor.at;
    cursor.value();
    rows.push(block.subarray(start, cursor.at));
  }
  if (!cursor.isAtEnd) throw new PackedError(block, cursor.at, 'more bytes after the rows');
  return rows;
}
