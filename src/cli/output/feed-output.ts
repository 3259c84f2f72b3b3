// A feed in the making: a temporary file, gzipped if its final name ends in `.gz`, that is renamed when it is
// complete.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { temporaryPath } from '../../files/temporary-file.ts';

/** Written, and deflated, at once: a gzip file may consist of several streams. */
const BLOCK_BYTES = 1 << 20;
const LINE_FEED = Buffer.from('\n');
const GZIP_LEVEL = 3; // half the time of zlib's default 6 for a tenth more bytes

export class FeedOutput {
  readonly #temporaryPath: string;
  readonly #isGzip: boolean;
  #fd: number | undefined;
  readonly #block: Uint8Array[] = [];
  #blockBytes = 0;
  #totalBytes = 0;

  constructor(folder: string, isGzip: boolean) {
    this.#temporaryPath = temporaryPath(folder, 'importing');
    this.#isGzip = isGzip;
    this.#fd = openSync(this.#temporaryPath, 'wx', 0o644);
  }

  /** Bytes of the file once it is published. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Adds a record as a line, which comes without its line feed and must not change. */
  add(line: Uint8Array): void {
    this.#block.push(line, LINE_FEED);
    this.#blockBytes += line.length + LINE_FEED.length;
    if (this.#blockBytes >= BLOCK_BYTES) this.#flush();
  }

  /**
   * Writes everything to disk and renames the file; `beforeRename` is called when nothing but the rename can
   * fail.
   */
  publish(path: string, beforeRename: () => void): void {
    if (this.#blockBytes > 0) this.#flush();
    if (this.#fd !== undefined) fsyncSync(this.#fd);
    this.#close();
    beforeRename();
    renameSync(this.#temporaryPath, path);
  }

  abandon(): void {
    this.#close();
    rmSync(this.#temporaryPath, { force: true });
  }

  #flush(): void {
    const block = Buffer.concat(this.#block);
    const bytes = this.#isGzip ? gzipSync(block, { level: GZIP_LEVEL }) : block;
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#open(), bytes, done);
    this.#totalBytes += bytes.length;
    this.#block.length = 0;
    this.#blockBytes = 0;
  }

  #open(): number {
    if (this.#fd === undefined) throw new Error('the feed has been published or abandoned');
    return this.#fd;
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
