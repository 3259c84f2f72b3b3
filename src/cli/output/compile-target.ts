// Where `compile` writes: a file, a folder in which it names the snapshot, or standard output. Everything
// that can be checked in advance is checked here, before any work.

import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SNAPSHOT_SUFFIX } from '../../loader/format.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { STANDARD_STREAM } from '../standard-streams.ts';

export interface CompileTarget {
  /** Temporary files go here too: a rename must not cross file systems. */
  readonly folder: string;
  pathOf(builtAtMs: number, id: string): string;
}

/** Throws UsageError or CommandError for a target that cannot be written. Requires: not standard output. */
export function findTarget(out: string, keepsRejects: boolean): CompileTarget {
  if (out === '')
    throw new UsageError(`--out is empty: name a file ending in ${SNAPSHOT_SUFFIX}, or a folder`);
  const stats = lookAt(out);
  if (stats?.isDirectory() || /[/\\]$/.test(out)) {
    return { folder: out, pathOf: (builtAtMs, id) => join(out, snapshotName(builtAtMs, id)) };
  }
  if (!out.endsWith(SNAPSHOT_SUFFIX)) throw new UsageError(`--out ${out}: ${suffixProblem(out, stats)}`);
  if (stats !== undefined && !stats.isFile()) {
    throw new CommandError(`${out}: not a regular file; choose another --out`);
  }
  if (keepsRejects && lookAt(rejectsPathOf(out))?.isDirectory()) {
    throw new CommandError(`${rejectsPathOf(out)}: the bad lines go there, but it is a folder; remove it`);
  }
  return { folder: dirname(out), pathOf: () => out };
}

/** Creates the folder if it does not exist. Throws CommandError. */
export function makeFolder({ folder }: CompileTarget): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw explainWriting(error, folder);
  }
}

export function rejectsPathOf(snapshotPath: string): string {
  return `${snapshotPath}.rejects.ndjson`;
}

/**
 * For the rejects of a run that was stopped; those beside a snapshot or feed belong to it. Undefined for
 * standard output.
 */
export function stoppedPathOf(out: string): string | undefined {
  if (isStandardOutput(out)) return undefined;
  return `${lookAt(out)?.isDirectory() ? join(out, 'vulndex') : out}.stopped.rejects.ndjson`;
}

export function isStandardOutput(out: string): boolean {
  return out === STANDARD_STREAM;
}

/** A target in a scratch folder: the snapshot is copied to standard output from there. */
export function scratchTarget(folder: string): CompileTarget {
  return { folder, pathOf: () => join(folder, `output${SNAPSHOT_SUFFIX}`) };
}

/** A user error about writing to `place` as a CommandError; any other error unchanged. */
export function explainWriting(error: unknown, place: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') {
    return new CommandError(`${place}: the disk is full; nothing was written`, { cause: error });
  }
  if (code !== undefined && UNWRITABLE.has(code)) {
    return new CommandError(`${place}: cannot write there (${code}); choose another --out`, { cause: error });
  }
  return error;
}

const UNWRITABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENOTEMPTY',
  'EPERM',
  'EROFS',
]);

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path); // not with `throwIfNoEntry: false`: from Node 22 that hides ENOTDIR too
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw explainWriting(error, path);
  }
}

function suffixProblem(out: string, stats: Stats | undefined): string {
  const wanted = `a snapshot's name must end in ${SNAPSHOT_SUFFIX}, or servers ignore it`;
  const file = `"${out}${SNAPSHOT_SUFFIX}" for a file`;
  if (stats !== undefined) return `${wanted}; use ${file}`;
  return `no such folder, and ${wanted}; use "${out}/" to create the folder, or ${file}`;
}

/** Whether `compile` names a snapshot like this when it is given a folder. */
export function isCompiledName(name: string): boolean {
  return /^vulndex-\d{8}T\d{6}Z-[0-9a-f]{16}\.vdx$/.test(name);
}

function snapshotName(builtAtMs: number, id: string): string {
  const time = new Date(builtAtMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `vulndex-${time}-${id}${SNAPSHOT_SUFFIX}`;
}
