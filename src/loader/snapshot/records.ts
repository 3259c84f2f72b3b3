// The packed values of a snapshot: listed texts, details, bodies and terms, decoded on demand.

import { Unpackr } from 'msgpackr/unpack'; // pure JavaScript: the other entry loads a native addon
import { BLOCK_SECTIONS, type BlockSection, hasBody, type IndexColumns } from '../../index/columns.ts';
import type { BlockRows, DetailRecord, OpenRecords, RecordSource } from '../../index/items/detail-record.ts';
import type { ListedText } from '../../index/items/list-item.ts';
import { partitionPoint } from '../../index/lookup/search.ts';
import type { OpenBlock } from '../../index/memory/open-block.ts';
import type { PackedSections } from './reader.ts';
import { blockStartOf, decode, openRowBlock } from './row-block.ts';

// Other writers may use the 64-bit forms even for small numbers.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/** Decodes for the lifetime of a generation. */
export class SnapshotRecords implements RecordSource {
  readonly #columns: IndexColumns;
  readonly #terms: Buffer;
  readonly #texts: PackedRows<ListedText>;
  readonly #details: PackedRows<DetailRecord>;
  readonly #bodies: PackedRows<string>;

  constructor(columns: IndexColumns, packed: PackedSections) {
    this.#columns = columns;
    const { buffer, byteOffset, byteLength } = columns.termBytes;
    this.#terms = Buffer.from(buffer, byteOffset, byteLength); // which decodes text natively
    this.#texts = new PackedRows(columns, packed, 'texts');
    this.#details = new PackedRows(columns, packed, 'details');
    this.#bodies = new PackedRows(columns, packed, 'bodies');
  }

  /** The listed texts as values, for tools; items are made from their bytes. */
  textAt(ordinal: number, open: OpenBlock<BlockRows<ListedText>>): ListedText {
    return this.#texts.rowAt(ordinal, open);
  }

  detailAt(ordinal: number, open: OpenRecords): DetailRecord {
    return this.#details.rowAt(ordinal, open.details);
  }

  bodyAt(ordinal: number, open: OpenRecords): string {
    const row = this.#bodyRow(ordinal);
    return row === undefined ? '' : this.#bodies.rowAt(row, open.bodies);
  }

  packedAt(section: BlockSection, ordinal: number, open: OpenRecords): Uint8Array | undefined {
    if (section === 'texts') return this.#texts.bytesAt(ordinal, open.texts);
    if (section === 'details') return this.#details.bytesAt(ordinal, open.details);
    const row = this.#bodyRow(ordinal);
    return row === undefined ? undefined : this.#bodies.bytesAt(row, open.bodies);
  }

  termAt(term: number): unknown {
    const { termStart } = this.#columns;
    const start = termStart[term];
    // Copied: msgpackr holds the memory of what it has unpacked last, which would be all columns.
    const bytes = Buffer.from(this.#terms.subarray(start, termStart[term + 1]));
    return decode('index.termBytes', start, () => unpackr.unpack(bytes));
  }

  #bodyRow(ordinal: number): number | undefined {
    const { advisoryFlags, bodyAdvisory } = this.#columns;
    if (!hasBody(advisoryFlags[ordinal])) return undefined;
    return partitionPoint(0, bodyAdvisory.length, (i) => bodyAdvisory[i] >= ordinal);
  }
}

/** The rows of a section. */
class PackedRows<Row> {
  readonly #columns: IndexColumns;
  readonly #packed: PackedSections;
  readonly #section: BlockSection;
  readonly #read = (block: number): BlockRows<Row> => this.#open(block);

  constructor(columns: IndexColumns, packed: PackedSections, section: BlockSection) {
    this.#columns = columns;
    this.#packed = packed;
    this.#section = section;
  }

  /** Throws SnapshotError if its block has a fault. */
  rowAt(index: number, open: OpenBlock<BlockRows<Row>>): Row {
    const { rowsPerBlock } = BLOCK_SECTIONS[this.#section];
    return open.rows(Math.floor(index / rowsPerBlock), this.#read).rowAt(index % rowsPerBlock);
  }

  /** As for `rowAt`. */
  bytesAt(index: number, open: OpenBlock<BlockRows<unknown>>): Uint8Array {
    const { rowsPerBlock } = BLOCK_SECTIONS[this.#section];
    return open.rows(Math.floor(index / rowsPerBlock), this.#read).bytesAt(index % rowsPerBlock);
  }

  #open(block: number): BlockRows<Row> {
    const { bytes, starts } = openRowBlock(this.#columns, this.#packed, this.#section, block);
    const start = blockStartOf(this.#columns, this.#section, block);
    const bytesAt = (row: number): Buffer => bytes.subarray(starts[row], starts[row + 1]);
    return {
      rowAt: (row) => decode(this.#section, start, () => unpackr.unpack(bytesAt(row))) as Row,
      bytesAt,
    };
  }
}
