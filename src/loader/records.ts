// The packed values of a snapshot: texts, details, bodies and terms, decoded from their blocks.

import { inflateRawSync, type ZlibOptions } from 'node:zlib';
import { Unpackr } from 'msgpackr/unpack'; // pure JavaScript: the other entry loads a native addon
import {
  BLOCK_SECTIONS,
  type BlockColumn,
  type BlockSection,
  hasBody,
  type IndexColumns,
} from '../index/columns.ts';
import {
  type DetailRecord,
  MAX_RECORD_BYTES,
  type OpenRecords,
  type RecordSource,
} from '../index/items/detail-record.ts';
import type { ListedText } from '../index/items/list-item.ts';
import { partitionPoint } from '../index/lookup/search.ts';
import type { BlockRows, OpenBlock } from '../index/memory/open-block.ts';
import { PackedCursor, PackedError } from '../index/memory/packed-cursor.ts';
import { rowsOf } from '../index/memory/packed-rows.ts';
import { SnapshotError } from './errors.ts';
import type { SectionName } from './format.ts';
import type { PackedSections } from './reader.ts';

// Other writers may use the 64-bit forms even for small numbers.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });
/** Limit for one record or term. MessagePack takes two bytes more than JSON for a text of 64 KiB or more. */
export const MAX_VALUE_BYTES = MAX_RECORD_BYTES + 4096;
const ROW_NAMES = {
  texts: 'rows of listed texts',
  details: 'detail records',
  bodies: 'bodies',
} as const satisfies Record<BlockSection, string>;

/** Columns that say where blocks are and what they were deflated with. */
export type BlockColumns = Pick<IndexColumns, BlockColumn>;

/** Where each block of a section begins. */
export function blockStartsOf(columns: BlockColumns, section: BlockSection): Float64Array {
  return columns[BLOCK_SECTIONS[section].starts];
}

/** A view as a Buffer, which decodes text natively; the bytes are not copied. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decodes details, bodies and terms for the lifetime of a generation. */
export class SnapshotRecords implements RecordSource {
  readonly #columns: IndexColumns;
  readonly #terms: Buffer;
  readonly #texts: PackedRows<ListedText>;
  readonly #details: PackedRows<DetailRecord>;
  readonly #bodies: PackedRows<string>;

  constructor(columns: IndexColumns, packed: PackedSections) {
    this.#columns = columns;
    this.#terms = asBuffer(columns.termBytes);
    this.#texts = new PackedRows(columns, packed, 'texts');
    this.#details = new PackedRows(columns, packed, 'details');
    this.#bodies = new PackedRows(columns, packed, 'bodies');
  }

  /** The listed texts as they were packed. Requires: as for `detailAt`. */
  textAt(ordinal: number, open: OpenBlock<ListedText>): ListedText {
    return this.#texts.rowAt(ordinal, open);
  }

  detailAt(ordinal: number, open: OpenRecords): DetailRecord {
    return this.#details.rowAt(ordinal, open.details);
  }

  bodyAt(ordinal: number, open: OpenRecords): string {
    const { advisoryFlags, bodyAdvisory } = this.#columns;
    if (!hasBody(advisoryFlags[ordinal])) return '';
    const row = partitionPoint(0, bodyAdvisory.length, (i) => bodyAdvisory[i] >= ordinal);
    return this.#bodies.rowAt(row, open.bodies);
  }

  termAt(term: number): unknown {
    const { termStart } = this.#columns;
    const start = termStart[term];
    const bytes = this.#terms.subarray(start, termStart[term + 1]);
    return decode('index.termBytes', start, () => unpackr.unpack(bytes));
  }
}

/** The rows of a section. */
class PackedRows<Row> {
  readonly #columns: BlockColumns;
  readonly #packed: PackedSections;
  readonly #section: BlockSection;
  readonly #read = (block: number): BlockRows<Row> => this.#block(block);

  constructor(columns: BlockColumns, packed: PackedSections, section: BlockSection) {
    this.#columns = columns;
    this.#packed = packed;
    this.#section = section;
  }

  /** Throws SnapshotError if its block does not decode, which the loader has ruled out. */
  rowAt(index: number, open: OpenBlock<Row>): Row {
    return open.row(index, BLOCK_SECTIONS[this.#section].rowsPerBlock, this.#read);
  }

  /** A request needs one row of a block: the others are not decoded. */
  #block(block: number): BlockRows<Row> {
    const section = this.#section;
    const bytes = inflateBlock(this.#columns, this.#packed, section, block);
    const start = blockStartsOf(this.#columns, section)[block];
    const packed = decode(section, start, () => rowsOf(bytes));
    const rows: Row[] = [];
    return {
      at: (row) => {
        rows[row] ??= decode(section, start, () => unpackr.unpack(packed[row])) as Row; // checked by the loader
        return rows[row];
      },
    };
  }
}

/** With the option `info`, which the types do not know: `bytesWritten` counts what was read of the input. */
const inflateRaw = inflateRawSync as unknown as (
  bytes: Uint8Array,
  options: ZlibOptions & { readonly info: true },
) => { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

/**
 * One block, inflated. Throws SnapshotError if it does not inflate, becomes too large, or has bytes after its
 * end.
 */
export function inflateBlock(
  columns: BlockColumns,
  packed: PackedSections,
  section: BlockSection,
  block: number,
): Buffer {
  const starts = blockStartsOf(columns, section);
  const deflated = Buffer.from(packed[section], starts[block], starts[block + 1] - starts[block]);
  const dictionary = columns[BLOCK_SECTIONS[section].dictionary];
  const maxOutputLength = BLOCK_SECTIONS[section].rowsPerBlock * MAX_VALUE_BYTES;
  return decode(section, starts[block], () => {
    // zlib takes an empty dictionary as none
    const { buffer, engine } = inflateRaw(deflated, { dictionary, maxOutputLength, info: true });
    if (engine.bytesWritten === deflated.length) return buffer;
    throw new RangeError(`a stream of ${engine.bytesWritten} of its ${deflated.length} bytes`);
  });
}

/**
 * Walks the rows of a block; `step` goes over one. Returns how many bytes the block makes. Throws
 * SnapshotError if it does not inflate, or is not that many rows.
 */
export function walkBlock(
  columns: BlockColumns,
  packed: PackedSections,
  section: BlockSection,
  block: number,
  totalRows: number,
  step: (cursor: PackedCursor, row: number) => void,
): number {
  const bytes = inflateBlock(columns, packed, section, block);
  const { rowsPerBlock } = BLOCK_SECTIONS[section];
  const first = block * rowsPerBlock;
  const last = Math.min(first + rowsPerBlock, totalRows);
  const cursor = new PackedCursor(bytes);
  cursor.enter(0, bytes.length);
  try {
    cursor.row(last - first);
    for (let row = first; row < last; row++) step(cursor, row);
    if (!cursor.isAtEnd) throw new PackedError(bytes, cursor.at, `more than ${last - first} rows`);
  } catch (error) {
    if (!(error instanceof PackedError)) throw error;
    const expected = `${last - first} ${ROW_NAMES[section]}`;
    const got = `${error.message} at byte ${error.offset} of the inflated block`;
    throw badRecord(section, blockStartsOf(columns, section)[block], expected, got);
  }
  return bytes.length;
}

function decode<Value>(section: SectionName | 'index.termBytes', offset: number, unpack: () => Value): Value {
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
