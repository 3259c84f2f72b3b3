// The versions to update to: of all versions named in a product's data (bounds and fixes), those to which no
// published advisory of the product applies.

import { lowerBound, partitionPoint } from '../index/lookup/search.ts';
import { keyUnder, type SchemeFacts } from '../index/versions/version-key.ts';
import type { SortedVersions } from './version-table.ts';

/** The intervals of one product under one scheme. */
export interface LaidGroup {
  readonly scheme: SchemeFacts;
  /** Ranks of the distinct bounds, ascending. */
  readonly ranks: Uint32Array;
  readonly intervals: readonly { readonly lo: number; readonly hi: number }[];
  /** Rows of the versions named in the group's data, in any order. */
  readonly named: Iterable<number>;
}

/**
 * For each group its clear versions as ascending rows: clear of the intervals of every group, not only its
 * own. Of equal ones the lowest row is kept, so `1.5` rather than `1.5.0`.
 */
export function clearVersions(groups: readonly LaidGroup[], versions: SortedVersions): Uint32Array[] {
  const { keyRank } = versions;
  const covers = groups.map(coverOf);
  return groups.map((group, i) => {
    const named = Uint32Array.from(new Set(group.named)).sort();
    let kept = -1;
    return named.filter((row) => {
      const rank = keyRank[row];
      if (rank === kept || isCovered(group, covers[i], rank)) return false;
      // Equal here, `1.5` and `1.5.0` may differ under another scheme.
      const isClear = groups.every(
        (other, j) => j === i || !isCoveredElsewhere(other, covers[j], row, versions),
      );
      if (isClear) kept = rank;
      return isClear;
    });
  });
}

/** For each position, whether any interval contains it. */
function coverOf({ ranks, intervals }: LaidGroup): Uint8Array {
  const opened = new Int32Array(2 * ranks.length + 2);
  for (const { lo, hi } of intervals) {
    opened[lo]++;
    opened[hi + 1]--;
  }
  const cover = new Uint8Array(2 * ranks.length + 1);
  let depth = 0;
  for (let position = 0; position < cover.length; position++) {
    depth += opened[position];
    cover[position] = depth > 0 ? 1 : 0;
  }
  return cover;
}

function isCovered({ ranks }: LaidGroup, cover: Uint8Array, rank: number): boolean {
  const index = lowerBound(ranks, rank);
  return cover[ranks[index] === rank ? 2 * index + 1 : 2 * index] === 1;
}

/** Checks a version under another scheme, where it may have no rank. */
function isCoveredElsewhere(
  group: LaidGroup,
  cover: Uint8Array,
  row: number,
  versions: SortedVersions,
): boolean {
  const key = keyUnder(group.scheme, versions.textOf(row));
  if (key === undefined) return false;
  const { ranks } = group;
  const index = partitionPoint(0, ranks.length, (i) => versions.compareRank(ranks[i], key) >= 0);
  const isBound = index < ranks.length && versions.compareRank(ranks[index], key) === 0;
  return cover[isBound ? 2 * index + 1 : 2 * index] === 1;
}
