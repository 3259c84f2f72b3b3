// Advisories by descending id: which ordinals belong to a platform, where a page begins, and which ordinal
// has a given id. An ordinal is a row of this generation only and never leaves the process.

import { type IndexColumns, RUN_COUNT, WITHDRAWN_RUN } from '../columns.ts';
import { PLATFORMS, type Platform } from '../product-type.ts';
import { partitionPoint } from './search.ts';

type Runs = Pick<IndexColumns, 'runCounts'>;

/** A range of consecutive ordinals, or of indexes into any other array. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The ordinals of a platform's published advisories. */
export function publishedRun(columns: IndexColumns, platform: Platform): Stretch {
  return runAt(columns, PLATFORMS.indexOf(platform));
}

/** How many advisories are published: they are the ordinals below. */
export function publishedCount(columns: Runs): number {
  return runAt(columns, WITHDRAWN_RUN).start;
}

/** How many are withdrawn: the ordinals from there on, of all platforms. */
export function withdrawnCount({ runCounts }: Runs): number {
  return runCounts[WITHDRAWN_RUN];
}

/** The ordinals of a run. */
export function runAt({ runCounts }: Runs, run: number): Stretch {
  let start = 0;
  for (let before = 0; before < run; before++) start += runCounts[before];
  return { start, end: start + runCounts[run] };
}

/** First ordinal in the run whose id is below `id`, or the run's end. */
export function seekBelow(columns: IndexColumns, run: Stretch, id: number): number {
  return partitionPoint(run.start, run.end, (ordinal) => columns.advisoryId[ordinal] < id);
}

/** The ordinal with this id, published or withdrawn, or undefined. */
export function findId(columns: IndexColumns, id: number): number | undefined {
  for (let run = 0; run < RUN_COUNT; run++) {
    const { start, end } = runAt(columns, run);
    const ordinal = partitionPoint(start, end, (i) => columns.advisoryId[i] <= id);
    if (ordinal < end && columns.advisoryId[ordinal] === id) return ordinal;
  }
  return undefined;
}
