// Which snapshot a new one is compared with before it is published: the one named, the one that would be
// replaced, or the newest in the folder. A refused snapshot is kept under a name that servers ignore.

import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LossLimits } from '../../compare/losses.ts';
import { SnapshotError, type SnapshotErrorCode } from '../../loader/errors.ts';
import { SNAPSHOT_SUFFIX } from '../../loader/format.ts';
import { readSnapshotHeader } from '../../loader/snapshot/reader.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { isStandardOutput } from '../output/compile-target.ts';
import { readOrExplain } from '../snapshot-report.ts';
import { snapshotsIn } from '../snapshots-in.ts';
import { STANDARD_STREAM } from '../standard-streams.ts';
import { type CheckedSnapshot, guardAgainstLoss } from './loss-guard.ts';

export interface PublicationGuard extends LossLimits {
  /** The snapshot to compare with, if it is named. */
  readonly previous: string | undefined;
  /** One that was read and checked already: it need not be read again. */
  readonly opened?: CheckedSnapshot | undefined;
  /** Where snapshots are published: a folder, a file, or undefined for standard output. */
  readonly place: { readonly kind: 'folder' | 'file'; readonly path: string } | undefined;
}

/** A new snapshot: where it is, and where it will be. */
interface Candidate {
  readonly path: string;
  readonly target: string;
}

/** `out` as `compile` takes it; `target` is the path that it means for one snapshot. */
export function placeOf(out: string, target: string): PublicationGuard['place'] {
  if (isStandardOutput(out)) return undefined;
  return target === out ? { kind: 'file', path: out } : { kind: 'folder', path: out };
}

/** Codes of what another release wrote: sound for it, but not to be read here. */
const OTHER_RELEASE: readonly SnapshotErrorCode[] = ['unsupported-format', 'scheme-revision'];

/** What can be known before the work: throws CommandError for a named snapshot that is not one. */
export async function requirePrevious(previous: string | undefined): Promise<void> {
  if (previous === STANDARD_STREAM)
    throw new UsageError('--previous -: name a file; it is read more than once');
  if (previous === undefined) return;
  try {
    await readOrExplain(previous, readSnapshotHeader);
  } catch (error) {
    const { cause } = error as Error;
    if (!(cause instanceof SnapshotError && OTHER_RELEASE.includes(cause.code))) throw error;
  }
}

/**
 * Throws LossError if the candidate lost too much, with the reasons in `report`. A previous snapshot that is
 * damaged is passed over for the next older one, with a line in `report`, unless it was named: then it is a
 * CommandError. One of another release is passed over in any case.
 */
export function examineLosses(
  guard: PublicationGuard,
  candidate: Candidate,
  report: (line: string) => void,
): void {
  const { previous, opened, place, maxWithdrawn, maxShrink } = guard;
  const refused = place === undefined ? undefined : refusedPath(place, candidate.target);
  const keep = refused === undefined ? {} : { keepRefusedAs: refused };
  const passed = baselines(guard, report).some((previousPath) => {
    try {
      const nextPath = candidate.path;
      guardAgainstLoss({ previousPath, opened, nextPath, maxWithdrawn, maxShrink, ...keep }, report);
      return true;
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      const problem = `${previousPath}: ${error.message}`;
      if (previous !== undefined && !OTHER_RELEASE.includes(error.code)) {
        throw new CommandError(problem, { cause: error });
      }
      report(`warning: ${problem}; not compared with it`);
      return false;
    }
  });
  if (passed && refused !== undefined) rmSync(refused, { force: true }); // of an earlier attempt
}

/** Best first. */
function baselines({ previous, place }: PublicationGuard, report: (line: string) => void): readonly string[] {
  if (previous !== undefined) return [previous];
  if (place === undefined) return [];
  if (place.kind === 'file') return existsSync(place.path) ? [place.path] : [];
  const { usable, refused } = snapshotsIn(place.path, Date.now());
  for (const { path, error } of refused) report(`warning: ${path}: ${error.message}; not compared with it`);
  return usable.map(({ path }) => path);
}

/** Begins with a dot, so servers ignore it: one for a folder, one for each file. */
function refusedPath(
  { kind, path }: { readonly kind: 'folder' | 'file'; readonly path: string },
  target: string,
): string {
  const name = kind === 'folder' ? '' : `.${basename(path, SNAPSHOT_SUFFIX)}`;
  return join(dirname(target), `${name}.refused${SNAPSHOT_SUFFIX}`);
}
