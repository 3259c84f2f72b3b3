// What a handler keeps with a path that a thread remembers: what the path means in a snapshot.

import { type Refusal, recurring } from '../replies/responses.ts';

export interface PathNote {
  /** The id of the snapshot that `value` comes from; '' for none. */
  snapshotId: string;
  /** The handler's own. Holds no generation, which it would keep in memory after a swap. */
  value: object | undefined;
}

/** What the handler kept for this snapshot, or undefined. Requires: one type of value for each route. */
export function keptValue<Value extends object>(
  note: PathNote | undefined,
  snapshotId: string,
): Value | undefined {
  return note !== undefined && note.snapshotId === snapshotId ? (note.value as Value) : undefined;
}

export function keepValue(note: PathNote | undefined, snapshotId: string, value: object): void {
  if (note === undefined) return;
  note.snapshotId = snapshotId;
  note.value = value;
}

/** Keeps a refusal that depends on the path alone, and returns what to answer. */
export function keepRefusal(note: PathNote | undefined, snapshotId: string, refusal: Refusal): Refusal {
  if (note === undefined) return refusal;
  const kept = recurring(refusal);
  keepValue(note, snapshotId, kept);
  return kept;
}
