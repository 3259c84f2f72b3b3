// What the commands that look at one snapshot share: how a refused file is told, and how rows stand under each
// other on a terminal.

import { SnapshotError } from '../loader/errors.ts';
import { CommandError } from './command-error.ts';

/** The result of `read`. Throws CommandError, naming the file, for what is wrong with it. */
export function readOrExplain<Result>(file: string, read: (path: string) => Result): Result {
  try {
    return read(file);
  } catch (error) {
    // A RangeError is a limit of this process: a file too large for its memory or for 32-bit offsets.
    if (error instanceof SnapshotError || error instanceof RangeError) {
      throw new CommandError(`${file}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** One line a row, columns two blanks apart; `numeric` are the columns that stand to the right. */
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
