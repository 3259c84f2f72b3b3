// What the commands for one snapshot share: how a refused file is reported, how tables are
// laid out, and how texts are made safe for a terminal.

import { statSync } from 'node:fs';
import { SnapshotError } from '../loader/errors.ts';
import { CommandError } from './command-error.ts';
import { withInputFile } from './standard-streams.ts';

/**
 * The result of `read`, which gets the file's path, or that of a copy when the file is `-`. Throws a
 * CommandError that names the file and what is wrong with it; a SnapshotError is its cause.
 */
export async function readOrExplain<Result>(file: string, read: (path: string) => Result): Promise<Result> {
  return withInputFile(file, (path) => {
    requireFile(path);
    return explaining(file, () => read(path));
  });
}

/** The result of `work`. Throws a CommandError that names the file and what is wrong with it. */
export function explaining<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    // A RangeError means a limit of this process: the file is too large for its memory or for 32-bit offsets.
    if (error instanceof SnapshotError || error instanceof RangeError) {
      throw new CommandError(`${file}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** Throws CommandError, worded for a terminal; the loader's own messages are for a log. */
function requireFile(path: string): void {
  let problem: string | undefined;
  try {
    if (statSync(path).isDirectory()) problem = 'this is a folder; name a snapshot in it';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') problem = 'no such file; check the path';
    if (code === 'ENOTDIR') problem = 'no such file: part of the path is not a folder; check the path';
    if (code === 'EACCES') problem = 'no permission to enter a folder on the path; check its permissions';
  }
  if (problem !== undefined) throw new CommandError(`${path}: ${problem}`);
}

/** One line per row, columns two spaces apart; `numeric` columns are right-aligned. */
export function formatTable(
  rows: readonly (readonly string[])[],
  { indent = '', numeric = [] }: { readonly indent?: string; readonly numeric?: readonly number[] } = {},
): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (numeric.includes(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${indent}${line}\n`).join('');
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** ISO 8601 in UTC. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
