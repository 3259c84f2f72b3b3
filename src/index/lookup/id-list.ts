// Advisories by descending id: which ordinals belong to a platform, where a page begins, and which ordinal has a given
// id. An ordinal is a row of this generation only and never leaves the process.

import type { IndexColumns } from '../columns.ts';
import { PLATFORMS, type Platform } from '../product-type.ts';
import { partitionPoint } from './search.ts';

/** A range of consecutive ordinals, or of indexes into any other array. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The ordinals of a platform's published advisories. */
export function publishedRun(columns: IndexColumns, platform: Platform): Stretch {
  const wordpress = columns.runCounts[0];
  return platform === 'wordpress'
    ? { start: 0, end: wordpress }
    : { start: wordpress, end: wordpress + columns.runCounts[1] };
}

/** The ordinals of withdrawn advisories of either platform. */
function withdrawnRun(columns: IndexColumns): Stretch {
  return { start: columns.runCounts[0] + columns.runCounts[1], end: columns.advisoryId.length };
}

/** First ordinal in the run whose id is below `id`, or the run's end. */
export function seekBelow(columns: IndexColumns, run: Stretch, id: number): number {
  return partitionPoint(run.start, run.end, (ordinal) => columns.advisoryId[ordinal] < id);
}

/** The ordinal with this id, published or withdrawn, or undefined. */
export function findId(columns: IndexColumns, id: number): number | undefined {
  const runs = [...PLATFORMS.map((platform) => publishedRun(columns, platform)), withdrawnRun(columns)];
  for (const run of runs) {
    const ordinal = partitionPoint(run.start, run.end, (i) => columns.advisoryId[i] <= id);
    if (ordinal < run.end && columns.advisoryId[ordinal] === id) return ordinal;
  }
  return undefined;
}
