// The packed values of a snapshot: texts, details, bodies and terms, decoded from their blocks.

import { inflateRawSync, type ZlibOptions } from 'node:zlib';
import { Unpackr } from 'msgpackr/unpack'; // pure JavaScript: the other entry loads a native addon
import { BODY_BLOCK_BODIES, DETAIL_BLOCK_ADVISORIES, hasBody, type IndexColumns } from '../index/columns.ts';
import {
  type DetailRecord,
  MAX_RECORD_BYTES,
  type OpenRecords,
  type RecordSource,
} from '../index/items/detail-record.ts';
import type { ListedText } from '../index/items/list-item.ts';
import { partitionPoint } from '../index/lookup/search.ts';
import type { OpenBlock } from '../index/memory/open-block.ts';
import { SnapshotError } from './errors.ts';
import type { SectionName } from './format.ts';
import type { PackedSections } from './reader.ts';

// Other writers may use the 64-bit forms even for small numbers.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });
/** Limit for one record or term. MessagePack takes two bytes more than JSON for a text of 64 KiB or more. */
export const MAX_VALUE_BYTES = MAX_RECORD_BYTES + 4096;
export const ROWS_PER_BLOCK = { details: DETAIL_BLOCK_ADVISORIES, bodies: BODY_BLOCK_BODIES } as const;

export type PackedSection = keyof PackedSections;
export type BlockColumns = Pick<
  IndexColumns,
  'detailBlockStart' | 'detailDictionary' | 'bodyBlockStart' | 'bodyDictionary'
>;

/** Where each block of a section begins. */
export function blockStartsOf(columns: BlockColumns, section: PackedSection): Uint32Array {
  return section === 'details' ? columns.detailBlockStart : columns.bodyBlockStart;
}

/** A view as a Buffer, which decodes text natively; the bytes are not copied. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decodes details, bodies and terms for the lifetime of a generation. */
export class SnapshotRecords implements RecordSource {
  readonly #columns: IndexColumns;
  readonly #terms: Buffer;
  readonly #details: PackedRows<DetailRecord>;
  readonly #bodies: PackedRows<string>;

  constructor(columns: IndexColumns, packed: PackedSections) {
    this.#columns = columns;
    this.#terms = asBuffer(columns.termBytes);
    this.#details = new PackedRows(columns, packed, 'details');
    this.#bodies = new PackedRows(columns, packed, 'bodies');
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
  readonly #section: PackedSection;
  readonly #read = (block: number): readonly Row[] => this.#block(block);

  constructor(columns: BlockColumns, packed: PackedSections, section: PackedSection) {
    this.#columns = columns;
    this.#packed = packed;
    this.#section = section;
  }

  /** Throws SnapshotError if its block does not decode, which the loader has ruled out. */
  rowAt(index: number, open: OpenBlock<Row>): Row {
    const rowsPerBlock = ROWS_PER_BLOCK[this.#section];
    return open.rows(Math.floor(index / rowsPerBlock), this.#read)[index % rowsPerBlock];
  }

  #block(block: number): readonly Row[] {
    const bytes = inflateBlock(this.#columns, this.#packed, this.#section, block);
    const start = blockStartsOf(this.#columns, this.#section)[block];
    return decode(this.#section, start, () => unpackr.unpack(bytes)) as Row[];
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
  section: PackedSection,
  block: number,
): Buffer {
  const starts = blockStartsOf(columns, section);
  const deflated = asBuffer(packed[section]).subarray(starts[block], starts[block + 1]);
  const dictionary = section === 'details' ? columns.detailDictionary : columns.bodyDictionary;
  const maxOutputLength = ROWS_PER_BLOCK[section] * MAX_VALUE_BYTES;
  return decode(section, starts[block], () => {
    // zlib takes an empty dictionary as none
    const { buffer, engine } = inflateRaw(deflated, { dictionary, maxOutputLength, info: true });
    if (engine.bytesWritten === deflated.length) return buffer;
    throw new RangeError(`a stream of ${engine.bytesWritten} of its ${deflated.length} bytes`);
  });
}

/** The rows of one block of the texts section. Throws SnapshotError if it does not decode. */
export function textBlock(bytes: Uint8Array, blockStart: number): readonly ListedText[] {
  return decode('texts', blockStart, () => unpackr.unpack(asBuffer(bytes))) as ListedText[];
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
