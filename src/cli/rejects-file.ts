// The bad lines of a compilation: a temporary file, created with the first bad line and published next to the
// snapshot that lacks them.

import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { temporaryPath } from '../files/temporary-file.ts';
import { formatReject, type Reject } from '../importers/source.ts';
import { rejectsPathOf } from './compile-target.ts';

export class RejectsFile {
  readonly #temporaryPath: string;
  #fd: number | undefined;
  #count = 0;

  constructor(folder: string) {
    this.#temporaryPath = temporaryPath(folder, 'rejects');
  }

  get count(): number {
    return this.#count;
  }

  add(reject: Reject): void {
    this.#fd ??= openSync(this.#temporaryPath, 'w', 0o644);
    writeSync(this.#fd, `${formatReject(reject)}\n`);
    this.#count++;
  }

  /** Moves the file next to its snapshot and returns the path; undefined when there are no bad lines. */
  publish(snapshotPath: string): string | undefined {
    const path = rejectsPathOf(snapshotPath);
    if (this.#fd === undefined) {
      rmSync(path, { force: true }); // left by an earlier compilation to the same path
      return undefined;
    }
    this.#close();
    renameSync(this.#temporaryPath, path);
    return path;
  }

  abandon(): void {
    if (this.#count === 0) return;
    this.#close();
    rmSync(this.#temporaryPath, { force: true }); // still there if publishing failed
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
