// The packed values of a snapshot: texts, details and terms, decoded from their blocks.

import { inflateRawSync } from 'node:zlib';
import { Unpackr } from 'msgpackr/unpack'; // pure JavaScript: the other entry loads a native addon
import { DETAIL_BLOCK_ADVISORIES, type IndexColumns } from '../index/columns.ts';
import type { DetailRecord, RecordSource } from '../index/detail-record.ts';
import type { ListedText } from '../index/list-item.ts';
import { SnapshotError } from './errors.ts';
import type { SectionName } from './format.ts';

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });
const MAX_DETAIL_BLOCK_BYTES = 256 << 20; // a block of 8 records; a larger one is no honest data

/** A view as a Buffer, which decodes text natively; the bytes are not copied. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decodes `detail` and `term` values for as long as the generation lives. */
export class SnapshotRecords implements RecordSource {
  readonly #columns: IndexColumns;
  readonly #details: Buffer;
  readonly #terms: Buffer;
  #openBlock = -1;
  #openRecords: readonly DetailRecord[] = [];

  constructor(columns: IndexColumns, details: Uint8Array) {
    this.#columns = columns;
    this.#details = asBuffer(details);
    this.#terms = asBuffer(columns.termBytes);
  }

  /** The block last opened is kept: a page with details asks for its neighbours next. */
  detailAt(ordinal: number): DetailRecord {
    const block = Math.floor(ordinal / DETAIL_BLOCK_ADVISORIES);
    if (block !== this.#openBlock) {
      this.#openRecords = this.detailBlock(block);
      this.#openBlock = block;
    }
    return this.#openRecords[ordinal % DETAIL_BLOCK_ADVISORIES];
  }

  /** All records of one block. Throws SnapshotError when it does not decode. */
  detailBlock(block: number): readonly DetailRecord[] {
    const { detailBlockStart, detailDictionary } = this.#columns; // zlib takes an empty dictionary for none
    const start = detailBlockStart[block];
    return decode('details', start, () =>
      unpackr.unpack(
        inflateRawSync(this.#details.subarray(start, detailBlockStart[block + 1]), {
          dictionary: detailDictionary,
          maxOutputLength: MAX_DETAIL_BLOCK_BYTES,
        }),
      ),
    ) as DetailRecord[];
  }

  termAt(term: number): unknown {
    const { termStart } = this.#columns;
    const start = termStart[term];
    return decode('index.termBytes', start, () =>
      unpackr.unpack(this.#terms.subarray(start, termStart[term + 1])),
    );
  }
}

/** The rows of one block of the texts section. Throws SnapshotError when it does not decode. */
export function textBlock(bytes: Uint8Array, blockStart: number): readonly ListedText[] {
  return decode('texts', blockStart, () => unpackr.unpack(asBuffer(bytes))) as ListedText[];
}

function decode(section: SectionName | 'index.termBytes', offset: number, unpack: () => unknown): unknown {
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
