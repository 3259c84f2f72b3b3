// Detects whether a file has changed: its mark is a text that changes whenever the file or its contents do.

import { type BigIntStats, statSync } from 'node:fs';

/** Includes ctime, because nobody can set that back. */
export function markOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Undefined when there is no such file. If stat fails, the mark is the error code. */
export function findMark(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : markOf(stat);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'; // stat throws nothing else
  }
}
