// Replaces a small text file as a whole: readers see the old text or the new one, also after a power cut.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';
import { temporaryPath } from './temporary-file.ts';

/** Throws the system's error; the file is then unchanged. */
export function replaceFile(path: string, text: string): void {
  const temporary = temporaryPath(dirname(path), 'refreshing');
  try {
    const fd = openSync(temporary, 'wx', 0o644);
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } finally {
    rmSync(temporary, { force: true });
  }
}
