// What was rejected in one run: a temporary file, created with the first reject and published next to the
// snapshot or feed that lacks them.

import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { temporaryPath } from '../../files/temporary-file.ts';
import { formatReject, type Reject } from '../../importers/source.ts';

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

  /** Moves the file to `path` and returns that; undefined when there are no rejects. */
  publish(path: string): string | undefined {
    if (this.#fd === undefined) {
      rmSync(path, { force: true }); // left by an earlier run to the same path
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
