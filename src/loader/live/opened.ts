// A file that was read and found sound as far as its columns show, so that it may go live. The rest of it is
// checked afterwards, a little at a time: snapshot-check.ts.

import type { Generation } from '../../index/generation.ts';
import { type LoadedSnapshot, loadOpenSnapshot } from '../snapshot/load.ts';
import { withSnapshot } from '../snapshot/reader.ts';
import { SnapshotCheck } from '../snapshot/snapshot-check.ts';
import type { Candidate, KnownFiles } from './known-files.ts';

export interface Opened {
  readonly loaded: LoadedSnapshot;
  readonly file: string;
  readonly known: Candidate;
  readonly tookMs: number;
  /** Undefined once it is over. */
  check: SnapshotCheck | undefined;
  checkedSinceMs: number | undefined;
}

/**
 * Undefined when the file was refused, by `approve` too, or has changed since it was examined. `approve`
 * throws SnapshotError.
 */
export function openCandidate(
  files: KnownFiles,
  file: string,
  known: Candidate,
  approve: (next: Generation) => void,
): Opened | undefined {
  if (files.isPausing(known)) return undefined;
  const startMs = performance.now();
  try {
    const loaded = withSnapshot(file, (open) => {
      if (open.mark !== known.mark || open.id !== known.age.id) return undefined;
      files.requireAllowedSize(open);
      return loadOpenSnapshot(open);
    });
    if (loaded === undefined) {
      files.forget(file);
      return undefined;
    }
    approve(loaded.generation);
    const tookMs = performance.now() - startMs;
    return { loaded, file, known, tookMs, check: new SnapshotCheck(loaded), checkedSinceMs: undefined };
  } catch (error) {
    files.refuse(file, known, error);
    return undefined;
  }
}
