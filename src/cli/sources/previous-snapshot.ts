// The snapshot named by --previous, opened for the compiler to keep advisories from it.

import type { PreviousSnapshot } from '../../compiler/previous.ts';
import { BLOCK_SECTION_NAMES } from '../../index/columns.ts';
import { SCHEME_REVISIONS, VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import { SnapshotError } from '../../loader/errors.ts';
import { FORMAT } from '../../loader/format.ts';
import { readVerified } from '../../loader/snapshot/load.ts';
import { readSnapshotHeader } from '../../loader/snapshot/reader.ts';
import { SnapshotRecords } from '../../loader/snapshot/records.ts';
import { CommandError } from '../command-error.ts';
import type { FoundSnapshot } from '../snapshots-in.ts';

export interface OpenPrevious extends PreviousSnapshot {
  readonly path: string;
  readonly id: string;
}

/**
 * Undefined, after a line to `report`, for a snapshot of an earlier release: then everything is compiled
 * anew. Throws CommandError for a file that cannot be read or is not a sound snapshot.
 */
export function openPrevious(path: string, report: (line: string) => void): OpenPrevious | undefined {
  try {
    return openSound(path);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    if (!isEarlier(error)) throw new CommandError(`--previous ${path}: ${error.message}`, { cause: error });
    report(ignored(path, error.message));
    return undefined;
  }
}

/**
 * The first of them that is sound, which takes a pass over each file. A damaged one gets a line in `report`.
 */
export function openFirstSound(
  found: readonly FoundSnapshot[],
  report: (line: string) => void,
): OpenPrevious | undefined {
  for (const { path } of found) {
    try {
      return openSound(path);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      report(`warning: ${path}: ${error.message}; nothing is kept from it`);
    }
  }
  return undefined;
}

/** Throws SnapshotError. */
function openSound(path: string): OpenPrevious {
  const { id, columns, packed, origins } = readVerified(path, [...BLOCK_SECTION_NAMES, 'origins']);
  const records = new SnapshotRecords(columns, packed);
  const half = origins.byteLength / 2;
  return {
    path,
    id,
    columns,
    packed,
    origins: { high: new Uint32Array(origins, 0, half / 4), low: new Uint32Array(origins, half) },
    termAt: (term) => records.termAt(term),
  };
}

/**
 * Whether a file is a snapshot that an earlier release wrote, after a line to `report` if so. Reads the
 * header alone. What else may be wrong with the file is not said here.
 */
export function isFromEarlierRelease(path: string, report: (line: string) => void): boolean {
  try {
    const { schemeRevisions } = readSnapshotHeader(path).header;
    if (VERSION_SCHEMES.every((scheme, i) => schemeRevisions[i] >= SCHEME_REVISIONS[scheme])) return false;
    report(ignored(path, 'its versions are ordered by earlier rules'));
    return true;
  } catch (error) {
    if (!(error instanceof SnapshotError) || !isEarlier(error)) return false;
    report(ignored(path, error.message));
    return true;
  }
}

function ignored(path: string, reason: string): string {
  return `${path}: warning: it is from an earlier release, so everything is compiled anew (${reason})`;
}

function isEarlier({ code, got }: SnapshotError): boolean {
  if (code === 'scheme-revision') return true;
  return code === 'unsupported-format' && Number(/\d+/.exec(got)?.[0]) < FORMAT;
}
