// Sections to a file: a temporary file beside the target, header and checksum last, then one rename. Readers
// of the target's folder see the old file or the complete new one, never a part.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../files/sync-folder.ts';
import { temporaryPath } from '../files/temporary-file.ts';
import {
  alignSection,
  formatHeader,
  HASH_BYTES,
  HASH_OFFSET,
  HEADER_BYTES,
  MAX_SECTION_BYTES,
  SECTIONS,
  type SectionBounds,
  type SectionName,
  snapshotIdOf,
} from '../loader/format.ts';

const COPY_BYTES = 1 << 20;

export interface WrittenSnapshot {
  readonly path: string;
  readonly id: string;
  readonly totalBytes: number;
  readonly sections: Readonly<Record<SectionName, SectionBounds>>;
}

export class SnapshotWriter {
  readonly #temporaryPath: string;
  readonly #fd: number;
  readonly #bounds = new Map<SectionName, SectionBounds>();
  #isOpen = true;
  #offset = HEADER_BYTES;
  #sectionStart = HEADER_BYTES;

  /** `folder` is where the snapshot will be published: a rename must not cross file systems. */
  constructor(folder: string) {
    // Not *.vdx, so that a server watching the folder ignores it.
    this.#temporaryPath = temporaryPath(folder, 'compiling');
    this.#fd = openSync(this.#temporaryPath, 'wx+', 0o644);
  }

  /** Where the file is until it is published: whole, from the moment `publish` calls `nameOf`. */
  get temporaryPath(): string {
    return this.#temporaryPath;
  }

  /** Bytes of the section being written. */
  get sectionLength(): number {
    return this.#offset - this.#sectionStart;
  }

  /** Appends to the section being written. */
  append(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#offset + done);
    }
    this.#offset += bytes.length;
  }

  /** Ends the section being written and aligns the next. Requires: called in the order of SECTIONS. */
  endSection(name: SectionName): void {
    const maxBytes = MAX_SECTION_BYTES[name];
    if (this.sectionLength > maxBytes) {
      throw new RangeError(`section "${name}" exceeds ${maxBytes} bytes, the most a snapshot can hold`);
    }
    this.#bounds.set(name, { offset: this.#sectionStart, length: this.sectionLength });
    const aligned = alignSection(this.#offset);
    if (name !== SECTIONS[SECTIONS.length - 1]) this.append(new Uint8Array(aligned - this.#offset));
    this.#sectionStart = this.#offset;
  }

  /**
   * Writes header and checksum and publishes the file. `nameOf` gets the snapshot's id, when the file is
   * whole and not yet renamed; if it throws, nothing is published.
   */
  publish(builtAtMs: number, nameOf: (id: string) => string): WrittenSnapshot {
    // Every section has ended.
    const sections = Object.fromEntries(this.#bounds) as Record<SectionName, SectionBounds>;
    const header = formatHeader(builtAtMs, this.#offset, sections);
    writeSync(this.#fd, header, 0, HEADER_BYTES, 0);
    const hash = this.#hash();
    writeSync(this.#fd, hash, 0, HASH_BYTES, HASH_OFFSET);
    fsyncSync(this.#fd);
    this.#close();
    const id = snapshotIdOf(hash);
    const path = nameOf(id);
    renameSync(this.#temporaryPath, path);
    syncFolder(dirname(path));
    return { path, id, totalBytes: this.#offset, sections };
  }

  /** Removes the unfinished file. */
  abandon(): void {
    this.#close();
    if (existsSync(this.#temporaryPath)) unlinkSync(this.#temporaryPath);
  }

  /** Only once: the descriptor's number may have been reused by then. */
  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  #hash(): Uint8Array {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(COPY_BYTES);
    for (let at = 0; at < this.#offset; ) {
      const count = readSync(this.#fd, chunk, 0, Math.min(COPY_BYTES, this.#offset - at), at);
      if (count === 0) throw new Error(`${this.#temporaryPath} ended at byte ${at} of ${this.#offset}`);
      if (at === 0) {
        hash.update(chunk.subarray(0, HASH_OFFSET));
        hash.update(chunk.subarray(HASH_OFFSET + HASH_BYTES, count));
      } else {
        hash.update(chunk.subarray(0, count));
      }
      at += count;
    }
    return hash.digest();
  }
}
