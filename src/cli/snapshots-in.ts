// The snapshots of a folder as a server would choose among them: by the build time inside the file, newest
// first. Reads headers only.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SnapshotError } from '../loader/errors.ts';
import { findBuiltAhead } from '../loader/live/guards.ts';
import { compareAge, type SnapshotAge } from '../loader/live/snapshot-age.ts';
import { isSnapshotName } from '../loader/live/snapshot-folder.ts';
import { readSnapshotHeader } from '../loader/snapshot/reader.ts';
import { CommandError } from './command-error.ts';
import { STANDARD_STREAM } from './standard-streams.ts';

export interface FoundSnapshot extends SnapshotAge {
  readonly path: string;
}

interface FoundSnapshots {
  /** Newest first. Their contents have not been checked. */
  readonly usable: readonly FoundSnapshot[];
  /** Damaged, of another format, or built ahead of the clock. */
  readonly refused: readonly { readonly path: string; readonly error: SnapshotError }[];
}

/**
 * The file that the name means where one snapshot is asked for: the newest one of a folder, or the name
 * itself. Files of the folder that no server would load get a line in `report`. Throws CommandError for a
 * folder without a snapshot.
 */
export function snapshotNamed(name: string, report: (line: string) => void): string {
  if (!isFolder(name)) return name;
  const { usable, refused } = snapshotsIn(name, Date.now());
  for (const { path, error } of refused) report(`warning: ${path}: ${error.message}; passed over`);
  const [newest] = usable;
  if (newest === undefined) throw new CommandError(`${name}: no snapshot in this folder; name a file`);
  return newest.path;
}

/** `-` is none. */
export function isFolder(name: string): boolean {
  try {
    return name !== STANDARD_STREAM && statSync(name).isDirectory();
  } catch {
    return false; // reading it will report the error
  }
}

/** A folder that does not exist has none. Throws CommandError if it cannot be read. */
export function snapshotsIn(folder: string, nowMs: number): FoundSnapshots {
  const usable: FoundSnapshot[] = [];
  const refused: { path: string; error: SnapshotError }[] = [];
  for (const name of namesIn(folder).filter(isSnapshotName)) {
    const path = join(folder, name);
    try {
      const { header, id } = readSnapshotHeader(path);
      const ahead = findBuiltAhead(header.builtAtMs, nowMs);
      if (ahead !== undefined) throw ahead;
      usable.push({ path, id, builtAtMs: header.builtAtMs });
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      refused.push({ path, error });
    }
  }
  return { usable: usable.sort((a, b) => compareAge(b, a)), refused };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // readdir throws nothing else
    if (code === 'ENOENT') return [];
    throw new CommandError(`${folder}: cannot be listed (${code}); name a folder that this user may read`);
  }
}
