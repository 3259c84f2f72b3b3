// The rows of a section in their final order, from two places: packed by this compilation, or kept from the
// previous snapshot, where they are in deflated blocks. All of it is in shared memory or in files that every
// thread can read.

import { inflateRawSync } from 'node:zlib';
import { RowReader, type StoredRows } from '../files/spill.ts';
import { NONE } from '../index/columns.ts';
import { MAX_PACKED_BYTES } from '../index/items/detail-record.ts';
import { OpenBlock } from '../index/memory/open-block.ts';
import { PackedCursor, PackedError } from '../index/memory/packed-cursor.ts';

export interface SectionRows {
  /** By record; what is stored for a kept record is not read. */
  readonly rows: StoredRows;
  /** The records in the order of the section. */
  readonly order: Uint32Array;
  readonly rowsPerBlock: number;
  /** Empty for none. */
  readonly dictionary: Uint8Array;
  readonly kept: KeptRows | undefined;
}

/** A section of the previous snapshot. */
export interface KeptRows {
  /** By record: its row in that section, or NONE. */
  readonly rowOf: Uint32Array;
  readonly rowCount: number;
  readonly bytes: SharedArrayBuffer;
  readonly blockStarts: Float64Array;
  readonly dictionary: Uint8Array;
}

export class SectionReader {
  readonly #kept: KeptRows | undefined;
  readonly #rowsPerBlock: number;
  readonly #reader: RowReader;
  readonly #open = new OpenBlock<readonly Uint8Array[]>();

  constructor({ kept, rowsPerBlock, rows }: Pick<SectionRows, 'kept' | 'rowsPerBlock' | 'rows'>) {
    this.#kept = kept;
    this.#rowsPerBlock = rowsPerBlock;
    this.#reader = new RowReader(rows);
  }

  /** The record's packed row, valid until the next call. */
  row(record: number): Uint8Array {
    const kept = this.#kept;
    const row = kept === undefined ? NONE : kept.rowOf[record];
    if (kept === undefined || row === NONE) return this.#reader.row(record);
    const rows = this.#open.rows(Math.floor(row / this.#rowsPerBlock), (block) =>
      openKeptBlock(kept, block, this.#rowsPerBlock),
    );
    return rows[row % this.#rowsPerBlock];
  }
}

function keptBlock({ bytes, blockStarts }: KeptRows, block: number): Uint8Array {
  return new Uint8Array(bytes, blockStarts[block], blockStarts[block + 1] - blockStarts[block]);
}

/**
 * The packed rows of a block of the previous snapshot. The hash of a file says that it is whole, not that its
 * maker was honest: what a loader could not open must not get into another snapshot.
 */
function openKeptBlock(kept: KeptRows, block: number, rowsPerBlock: number): readonly Uint8Array[] {
  const wanted = Math.min(rowsPerBlock, kept.rowCount - block * rowsPerBlock);
  try {
    const rows = rowsOf(
      inflateRawSync(keptBlock(kept, block), {
        dictionary: kept.dictionary,
        maxOutputLength: rowsPerBlock * MAX_PACKED_BYTES,
      }),
    );
    if (rows.length === wanted) return rows;
    throw new Error(`it has ${rows.length} rows, expected ${wanted}`);
  } catch (error) {
    throw new Error(
      `block ${block} of the previous snapshot cannot be opened: ${(error as Error).message}; compile without it`,
      { cause: error },
    );
  }
}

/**
 * The deflated block of the previous snapshot that has exactly these rows, if there is one. Throws if it
 * cannot be opened.
 */
export function findKeptBlock(section: SectionRows, first: number, last: number): Uint8Array | undefined {
  const { kept, order, rowsPerBlock, dictionary } = section;
  if (kept === undefined || kept.dictionary !== dictionary) return undefined;
  const start = kept.rowOf[order[first]];
  if (start === NONE || start % rowsPerBlock !== 0) return undefined;
  for (let at = first; at < last; at++) if (kept.rowOf[order[at]] !== start + at - first) return undefined;
  if (Math.min(rowsPerBlock, kept.rowCount - start) !== last - first) return undefined;
  openKeptBlock(kept, start / rowsPerBlock, rowsPerBlock);
  return keptBlock(kept, start / rowsPerBlock);
}

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
