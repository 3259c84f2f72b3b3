// Reads the fields of one generation's advisories, one advisory at a time, as a comparison needs them:
// decoded records only on request, and neighbouring rows from one inflated block.

import { RUN_COUNT } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import { type DetailRecord, OpenRecords } from '../index/items/detail-record.ts';
import { ItemView } from '../index/items/item-view.ts';
import type { Row } from './walk.ts';

export class AdvisoryReader {
  readonly generation: Generation;
  readonly view: ItemView;
  /** By run: the walk jumps between runs, and a single open block would be inflated again at every jump. */
  readonly #open = Array.from({ length: RUN_COUNT }, () => new OpenRecords());
  #row: Row = { ordinal: 0, run: 0 };

  constructor(generation: Generation) {
    this.generation = generation;
    this.view = new ItemView(generation);
  }

  enter(row: Row): void {
    this.#row = row;
    this.view.enter(row.ordinal);
  }

  get ordinal(): number {
    return this.#row.ordinal;
  }

  detail(): DetailRecord {
    return this.generation.records.detailAt(this.#row.ordinal, this.#open[this.#row.run]);
  }

  body(): string {
    return this.generation.records.bodyAt(this.#row.ordinal, this.#open[this.#row.run]);
  }
}
