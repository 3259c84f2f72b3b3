// Carries out an operator's orders about the snapshots of a folder, for a command and for a server: writes or
// removes the markers, whose contents are in markers.ts. hot-swap.ts follows them.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SnapshotError } from '../errors.ts';
import { readSnapshotHeader } from '../snapshot/reader.ts';
import { findBuiltAhead } from './guards.ts';
import { formatRollBack, ROLL_BACK_FILE, type RollBackOrder, writeMarker } from './markers.ts';
import { compareAge, type SnapshotAge } from './snapshot-age.ts';
import { isSnapshotName } from './snapshot-folder.ts';

/**
 * Orders every server on the folder to serve this file until a newer snapshot than all now in it arrives.
 * Throws the system's error. Requires: `age` is that of the file.
 */
export function orderRollBack(folder: string, file: string, age: SnapshotAge, nowMs: number): RollBackOrder {
  const { id, builtAtMs } = age;
  const newerThan = newestOf(folder, { id, builtAtMs }, nowMs);
  const order: RollBackOrder = { file, id, newerThan, orderedAtMs: nowMs };
  writeMarker(join(folder, ROLL_BACK_FILE), formatRollBack(order));
  return order;
}

/** Orders every server on the folder to serve the newest snapshot again. Throws the system's error. */
export function endRollBack(folder: string): void {
  rmSync(join(folder, ROLL_BACK_FILE));
}

/**
 * What is wrong and what to do about it, for an error of the system from above; undefined for any other
 * error.
 */
export function orderComplaint(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return undefined;
  if (code === 'ENOENT' && syscall !== 'open') return 'no such file; no roll-back is in effect';
  return `cannot be changed (${syscall}: ${code}); write access to the folder is required`;
}

/** The newest snapshot that a server may be serving: not one that is damaged or ahead of the clock. */
function newestOf(folder: string, first: SnapshotAge, nowMs: number): SnapshotAge {
  let newest = first;
  for (const name of readdirSync(folder).filter(isSnapshotName)) {
    try {
      const { header, id } = readSnapshotHeader(join(folder, name));
      const age = { builtAtMs: header.builtAtMs, id };
      const isAhead = findBuiltAhead(age.builtAtMs, nowMs) !== undefined;
      if (!isAhead && compareAge(age, newest) > 0) newest = age;
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
    }
  }
  return newest;
}
