// Makes a change of names in a folder (a new file, a rename) survive a power cut.

import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
