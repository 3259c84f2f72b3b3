// One block of packed rows, inflated and checked: it ends where it says, and has the right number of rows,
// each of the right shape. Nothing reads a row in another way, so nothing is served that has not been
// checked.

import { type InflateRaw, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { BLOCK_SECTIONS, type BlockSection, type IndexColumns } from '../../index/columns.ts';
import { MAX_PACKED_BYTES } from '../../index/items/detail-record.ts';
import { PackedCursor, PackedError } from '../../index/memory/packed-cursor.ts';
import { SnapshotError } from '../errors.ts';
import type { SectionName } from '../format.ts';
import type { PackedSections } from './reader.ts';
import { stepOverDetailRecord, stepOverListedText } from './record-shapes.ts';

interface RowFacts {
  /** Has one element for each row. */
  readonly column: 'advisoryId' | 'bodyAdvisory';
  /** In the plural, for messages. */
  readonly what: string;
  /** Steps over a row; returns its number of references or their titles. Throws PackedError. */
  readonly stepOver: (cursor: PackedCursor) => number;
}

const ROWS: Readonly<Record<BlockSection, RowFacts>> = {
  texts: { column: 'advisoryId', what: 'rows of listed texts', stepOver: stepOverListedText },
  details: { column: 'advisoryId', what: 'detail records', stepOver: stepOverDetailRecord },
  bodies: { column: 'bodyAdvisory', what: 'bodies', stepOver: stepOverBody },
};

function stepOverBody(cursor: PackedCursor): number {
  cursor.string();
  return 0;
}

export interface RowBlock {
  readonly bytes: Buffer;
  /** Row i is bytes[starts[i]..starts[i + 1]). */
  readonly starts: Uint32Array;
  /** For each row, how many URLs its listed texts have, or how many titles its detail record. */
  readonly referenceCounts: Uint32Array;
}

/** Throws SnapshotError. */
export function openRowBlock(
  columns: IndexColumns,
  packed: PackedSections,
  section: BlockSection,
  block: number,
): RowBlock {
  const { rowsPerBlock } = BLOCK_SECTIONS[section];
  const { column, what, stepOver } = ROWS[section];
  const bytes = inflateBlock(columns, packed, section, block);
  const count = Math.min(rowsPerBlock, columns[column].length - block * rowsPerBlock);
  const starts = new Uint32Array(count + 1);
  const referenceCounts = new Uint32Array(count);
  const cursor = new PackedCursor(bytes);
  cursor.enter(0, bytes.length);
  try {
    cursor.row(count);
    for (let row = 0; row < count; row++) {
      starts[row] = cursor.at;
      referenceCounts[row] = stepOver(cursor);
    }
    starts[count] = cursor.at;
    if (!cursor.isAtEnd) throw new PackedError(bytes, cursor.at, `more than ${count} rows`);
  } catch (error) {
    if (!(error instanceof PackedError)) throw error;
    const got = `${error.message} at byte ${error.offset} of the inflated block`;
    throw badRecord(section, blockStartOf(columns, section, block), `${count} ${what}`, got);
  }
  return { bytes, starts, referenceCounts };
}

/** Offset of a block in its section. */
export function blockStartOf(columns: IndexColumns, section: BlockSection, block: number): number {
  return columns[BLOCK_SECTIONS[section].starts][block];
}

/** With the option `info`, which the types do not know: `bytesWritten` counts what was read of the input. */
const inflateRaw = inflateRawSync as unknown as (
  bytes: Uint8Array,
  options: ZlibOptions & { readonly info: true },
) => { readonly buffer: Buffer; readonly engine: Pick<InflateRaw, 'bytesWritten'> };

/**
 * One block, inflated. Throws SnapshotError if it does not inflate, becomes too large, or has bytes after its
 * end.
 */
export function inflateBlock(
  columns: IndexColumns,
  packed: PackedSections,
  section: BlockSection,
  block: number,
): Buffer {
  const { rowsPerBlock, dictionary } = BLOCK_SECTIONS[section];
  const start = blockStartOf(columns, section, block);
  const deflated = Buffer.from(packed[section], start, blockStartOf(columns, section, block + 1) - start);
  const maxOutputLength = rowsPerBlock * MAX_PACKED_BYTES;
  return decode(section, start, () => {
    // zlib takes an empty dictionary as none
    const options = { dictionary: columns[dictionary], maxOutputLength, info: true } as const;
    const { buffer, engine } = inflateRaw(deflated, options);
    if (engine.bytesWritten === deflated.length) return buffer;
    throw new RangeError(`a stream of ${engine.bytesWritten} of its ${deflated.length} bytes`);
  });
}

/** The value that `unpack` makes. Throws SnapshotError if it throws. */
export function decode<Value>(
  section: SectionName | 'index.termBytes',
  offset: number,
  unpack: () => Value,
): Value {
  try {
    return unpack();
  } catch (error) {
    throw badRecord(section, offset, 'a packed value', (error as Error).message);
  }
}

export function badRecord(
  section: SectionName | 'index.termBytes',
  offset: number,
  expected: string,
  got: string,
): SnapshotError {
  return new SnapshotError({ code: 'bad-record', section, offset, expected, got });
}
