// Whether a file is the one that was looked at before: a text that changes whenever the file or its contents do.

import { type BigIntStats, statSync } from 'node:fs';

/** The time of the last change of status is in it because nobody can set that one back. */
export function markOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Undefined when there is no such file. One that cannot be looked at has its error as its mark. */
export function findMark(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : markOf(stat);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'; // stat throws nothing else
  }
}
