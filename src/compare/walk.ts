// Pairs the advisories of two generations by id, from the highest id down. Ids descend within each run, but
// an id can be in different runs: a withdrawn advisory is in the last one.

import { type IndexColumns, RUN_COUNT } from '../index/columns.ts';
import { runAt } from '../index/lookup/id-list.ts';

/** An advisory's row in one generation. */
export interface Row {
  readonly ordinal: number;
  readonly run: number;
}

/** An id, and where it is; at least one of the two has it. */
interface Pair {
  readonly id: number;
  readonly previous: Row | undefined;
  readonly next: Row | undefined;
}

type Ids = Pick<IndexColumns, 'advisoryId' | 'runCounts'>;

/** Every id of either, once. Requires: ids unique within each generation. */
export function* pairIds(previous: Ids, next: Ids): Generator<Pair> {
  const before = new IdWalk(previous);
  const after = new IdWalk(next);
  for (;;) {
    const id = Math.max(before.id, after.id);
    if (id === Number.NEGATIVE_INFINITY) return;
    yield { id, previous: before.take(id), next: after.take(id) };
  }
}

/** Merges the runs of one generation. */
class IdWalk {
  readonly #ids: Float64Array;
  readonly #at: number[];
  readonly #ends: readonly number[];
  #run = 0;
  /** The highest id not taken yet; -Infinity at the end. */
  id = Number.NEGATIVE_INFINITY;

  constructor(columns: Ids) {
    const runs = Array.from({ length: RUN_COUNT }, (_, run) => runAt(columns, run));
    this.#ids = columns.advisoryId;
    this.#at = runs.map(({ start }) => start);
    this.#ends = runs.map(({ end }) => end);
    this.#seek();
  }

  /** The row of an id if it is next, which then no longer is. */
  take(id: number): Row | undefined {
    if (this.id !== id) return undefined;
    const run = this.#run;
    const ordinal = this.#at[run]++;
    this.#seek();
    return { ordinal, run };
  }

  #seek(): void {
    this.id = Number.NEGATIVE_INFINITY;
    for (let run = 0; run < RUN_COUNT; run++) {
      if (this.#at[run] >= this.#ends[run]) continue;
      const id = this.#ids[this.#at[run]];
      if (id <= this.id) continue;
      this.id = id;
      this.#run = run;
    }
  }
}
