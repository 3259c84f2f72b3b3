// Reading at a position of a file: the system may return fewer bytes than there are.

import { readSync } from 'node:fs';

/** Fills the target from a position of the file. Returns how many bytes it got: fewer only at the end. */
export function readUpTo(fd: number, target: Uint8Array, position: number): number {
  let done = 0;
  while (done < target.length) {
    const count = readSync(fd, target, done, target.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
