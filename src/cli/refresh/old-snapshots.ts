// Removes snapshots that newer ones have replaced. Deleting a file never unloads it from a server, but a
// roll-back needs it: so a few stay, and whatever an operator's order names.

import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ACCEPT_SUFFIX, ROLL_BACK_FILE } from '../../loader/live/markers.ts';
import { isCompiledName, rejectsPathOf } from '../output/compile-target.ts';
import { snapshotsIn } from '../snapshots-in.ts';

/**
 * Keeps the `keep` newest snapshots of the folder, and returns the paths of those it removed. Only files with
 * the names that `compile` gives are removed, with what lies beside them; damaged ones stay, for someone to
 * look at.
 */
export function removeOldSnapshots(folder: string, keep: number, nowMs: number): string[] {
  const order = rollBackOrder(folder);
  const old = snapshotsIn(folder, nowMs)
    .usable.slice(keep)
    .map(({ path }) => path)
    .filter((path) => isCompiledName(basename(path)) && !order.includes(basename(path)));
  for (const path of old) {
    for (const file of [path, path + ACCEPT_SUFFIX, rejectsPathOf(path)]) rmSync(file, { force: true });
  }
  return old;
}

/** The text of the order, valid or not: any snapshot that it mentions is kept. */
function rollBackOrder(folder: string): string {
  try {
    return readFileSync(join(folder, ROLL_BACK_FILE), 'utf8');
  } catch {
    return '';
  }
}
