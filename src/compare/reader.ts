// Reads the fields of one generation's advisories, one advisory at a time, as a comparison needs them:
// decoded records and items only on request, and neighbouring rows from one inflated block.

import { type BlockSection, RUN_COUNT } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import { type DetailRecord, OpenRecords } from '../index/items/detail-record.ts';
import { ItemView } from '../index/items/item-view.ts';
import type { Row } from './walk.ts';

export class AdvisoryReader {
  readonly generation: Generation;
  /** By run: the walk jumps between runs, and a single open block would be inflated again at every jump. */
  readonly #open = Array.from({ length: RUN_COUNT }, () => new OpenRecords());
  readonly #view: ItemView;
  #isViewed = false;
  #row: Row = { ordinal: 0, run: 0 };

  constructor(generation: Generation) {
    this.generation = generation;
    this.#view = new ItemView(generation);
  }

  enter(row: Row): void {
    this.#row = row;
    this.#isViewed = false;
  }

  get ordinal(): number {
    return this.#row.ordinal;
  }

  /** Of the item, which is made for it. */
  get view(): ItemView {
    if (!this.#isViewed) this.#view.enter(this.#row.ordinal);
    this.#isViewed = true;
    return this.#view;
  }

  /** A row as it is packed. Undefined for no body. */
  packed(section: BlockSection): Uint8Array | undefined {
    return this.generation.records.packedAt(section, this.#row.ordinal, this.#open[this.#row.run]);
  }

  detail(): DetailRecord {
    return this.generation.records.detailAt(this.#row.ordinal, this.#open[this.#row.run]);
  }

  body(): string {
    return this.generation.records.bodyAt(this.#row.ordinal, this.#open[this.#row.run]);
  }
}
