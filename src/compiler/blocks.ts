// Rows packed in blocks: each block is one MessagePack array of rows, optionally deflated.

import { deflateRawSync } from 'node:zlib';
import { Packr } from 'msgpackr/pack'; // pure JavaScript: the other entry loads a native addon
import { GrowableF64 } from '../index/memory/growable.ts';

/** Plain MessagePack, no extensions, so that any MessagePack library can read it. */
export const plainPackr = new Packr({ useRecords: false, mapsAsObjects: true });

export interface ByteSink {
  append(bytes: Uint8Array): void;
}

/** An empty dictionary means no dictionary. */
export type BlockPacking =
  | { readonly kind: 'plain' }
  | { readonly kind: 'deflated'; readonly dictionary: Uint8Array };

export class BlockWriter {
  readonly #sink: ByteSink;
  readonly #rowsPerBlock: number;
  readonly #packing: BlockPacking;
  readonly #starts = new GrowableF64();
  #rows: unknown[] = [];
  #length = 0;

  constructor(sink: ByteSink, rowsPerBlock: number, packing: BlockPacking) {
    this.#sink = sink;
    this.#rowsPerBlock = rowsPerBlock;
    this.#packing = packing;
    this.#starts.push(0);
  }

  add(row: unknown): void {
    this.#rows.push(row);
    if (this.#rows.length === this.#rowsPerBlock) this.#flush();
  }

  /** Where each block begins, relative to the first; a final entry marks the end of the last. */
  finish(): Float64Array {
    if (this.#rows.length > 0) this.#flush();
    return this.#starts.view();
  }

  #flush(): void {
    const packed = plainPackr.pack(this.#rows);
    const block =
      this.#packing.kind === 'deflated'
        ? deflateRawSync(packed, { dictionary: this.#packing.dictionary })
        : packed;
    this.#sink.append(block);
    this.#length += block.length;
    this.#starts.push(this.#length);
    this.#rows = [];
  }
}
