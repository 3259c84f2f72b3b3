// The packed values of a snapshot: texts, details and terms, decoded from their blocks.

import { inflateRawSync } from 'node:zlib';
import { Unpackr } from 'msgpackr/unpack'; // pure JavaScript: the other entry loads a native addon
import { DETAIL_BLOCK_ADVISORIES, type IndexColumns } from '../index/columns.ts';
import { type DetailRecord, MAX_RECORD_BYTES, type RecordSource } from '../index/items/detail-record.ts';
import type { ListedText } from '../index/items/list-item.ts';
import { SnapshotError } from './errors.ts';
import type { SectionName } from './format.ts';

// Other writers may use the 64-bit forms even for small numbers.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });
/** Limit for one record or term. MessagePack takes two bytes more than JSON for a text of 64 KiB or more. */
const MAX_VALUE_BYTES = MAX_RECORD_BYTES + 4096;
const MAX_DETAIL_BLOCK_BYTES = DETAIL_BLOCK_ADVISORIES * MAX_VALUE_BYTES;

/** A view as a Buffer, which decodes text natively; the bytes are not copied. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decodes details and terms for the lifetime of a generation. */
export class SnapshotRecords implements RecordSource {
  readonly #columns: IndexColumns;
  readonly #details: Uint8Array;
  readonly #terms: Buffer;
  #openBlock = -1;
  #openRecords: readonly DetailRecord[] = [];

  constructor(columns: IndexColumns, details: Uint8Array) {
    this.#columns = columns;
    this.#details = details;
    this.#terms = asBuffer(columns.termBytes);
  }

  /** Keeps the last block open: a page with details asks for neighbouring ordinals next. */
  detailAt(ordinal: number): DetailRecord {
    const block = Math.floor(ordinal / DETAIL_BLOCK_ADVISORIES);
    if (block !== this.#openBlock) {
      this.#openRecords = this.detailBlock(block);
      this.#openBlock = block;
    }
    return this.#openRecords[ordinal % DETAIL_BLOCK_ADVISORIES];
  }

  bodyAt(ordinal: number): string {
    return this.detailAt(ordinal)[1];
  }

  /** All records of one block. Throws SnapshotError if it does not decode, which the loader has ruled out. */
  detailBlock(block: number): readonly DetailRecord[] {
    const bytes = inflateDetails(this.#columns, this.#details, block);
    const start = this.#columns.detailBlockStart[block];
    return decode('details', start, () => unpackr.unpack(bytes)) as DetailRecord[];
  }

  termAt(term: number): unknown {
    const { termStart } = this.#columns;
    const start = termStart[term];
    const end = termStart[term + 1];
    if (end - start > MAX_VALUE_BYTES) {
      throw badRecord('index.termBytes', start, `at most ${MAX_VALUE_BYTES} bytes`, String(end - start));
    }
    return decode('index.termBytes', start, () => unpackr.unpack(this.#terms.subarray(start, end)));
  }
}

/** One block, inflated. Throws SnapshotError if it does not inflate, or becomes too large. */
export function inflateDetails(
  { detailBlockStart, detailDictionary }: Pick<IndexColumns, 'detailBlockStart' | 'detailDictionary'>,
  details: Uint8Array,
  block: number,
): Buffer {
  const start = detailBlockStart[block];
  const deflated = asBuffer(details).subarray(start, detailBlockStart[block + 1]);
  const options = { dictionary: detailDictionary, maxOutputLength: MAX_DETAIL_BLOCK_BYTES }; // zlib takes an empty dictionary as none
  return decode('details', start, () => inflateRawSync(deflated, options));
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
