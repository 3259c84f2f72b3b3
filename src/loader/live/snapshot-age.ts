// Which of two snapshots is newer.

/** A snapshot's build time and id. */
export interface SnapshotAge {
  readonly builtAtMs: number;
  readonly id: string;
}

/** Positive when `a` is newer: by build time, then by id. */
export function compareAge(a: SnapshotAge, b: SnapshotAge): number {
  return a.builtAtMs - b.builtAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
