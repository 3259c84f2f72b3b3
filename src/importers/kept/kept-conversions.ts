// Conversions that outlive a run: what an entry was converted to is found by the entry's bytes, before they
// are inflated or parsed (docs/decisions/0015). One file for each source, replaced as a whole.
//
//   find: bytes of an entry -> its conversion in the last run | undefined
//   keep: in the order of this run -> a number of the file | new, in a scratch file
//   publish: both together, in that order, become the next file

import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readAt, Spill } from '../../files/spill.ts';
import { temporaryPath } from '../../files/temporary-file.ts';
import { GrowableF64, GrowableU32 } from '../../index/memory/growable.ts';
import { sha256 } from '../sha256.ts';
import type { Place } from '../source.ts';
import { checkOf, indexOf, KEY_BYTES, KeptFile, type Key, MAGIC, MAX_KEPT } from './kept-file.ts';

/** Of one file. Entries beyond it are converted each time. */
const MAX_BYTES = 2 ** 31;
const COPY_BYTES = 1 << 20;

export interface KeptOptions {
  /** What converts: what another program has made is not used. */
  readonly program: string;
  /** Gets one line if the file cannot be used, or not all of it. */
  readonly report: (line: string) => void;
  readonly maxBytes?: number;
}

export class KeptConversions {
  readonly #path: string;
  readonly #options: KeptOptions;
  readonly #maxBytes: number;
  #file: KeptFile | undefined;
  /** Of the conversions in the file. */
  readonly #numbers = new Map<Key, number>();
  /** Of those that are new. */
  readonly #added: Spill;
  readonly #addedEnds = new GrowableF64();
  readonly #addedChecks = new GrowableU32();
  readonly #addedKeys: Buffer[] = [];
  /** Of this run: one more than a number of the file, or 0 for the next of the new ones. */
  readonly #order = new GrowableU32();
  #bytes = 0;
  #hasFailed = false;
  #isOpen = true;

  /** The file need not be there, nor be sound; its folder must be there. */
  constructor(path: string, options: KeptOptions) {
    this.#path = path;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    this.#added = new Spill(dirname(path));
    try {
      this.#file = KeptFile.open(path);
    } catch (error) {
      this.#warn((error as Error).message);
    }
    if (this.#file?.program === options.program) {
      const { keys, count } = this.#file;
      for (let number = 0; number < count; number++) {
        const at = number * KEY_BYTES;
        this.#numbers.set(keys.toString('hex', at, at + KEY_BYTES), number);
      }
    }
  }

  /** Of an entry: `facts` are what else decides about its conversion. */
  keyOf({ file, entry }: Place, bytes: Uint8Array, facts: readonly number[] = []): Key {
    const head = JSON.stringify([file, entry, ...facts]); // tells by itself where it ends
    const length = Buffer.byteLength(head);
    const all = Buffer.allocUnsafe(length + bytes.length);
    all.write(head);
    all.set(bytes, length);
    return sha256(all).slice(0, 2 * KEY_BYTES);
  }

  /** What the last run made of an entry with this key. */
  find(key: Key): Uint8Array | undefined {
    const number = this.#numbers.get(key);
    if (number === undefined) return undefined;
    const conversion = this.#file?.conversionAt(number);
    if (conversion !== undefined) return conversion;
    this.#warn('has a damaged part');
    this.#numbers.clear();
    return undefined;
  }

  /** Keeps a conversion for the next run, unless there is no more room. */
  keep(key: Key, conversion: Uint8Array): void {
    const isFull = this.#order.length === MAX_KEPT || this.#bytes + conversion.length > this.#maxBytes;
    if (isFull || this.#hasFailed) return;
    this.#bytes += conversion.length;
    const number = this.#numbers.get(key);
    try {
      if (number === undefined) this.#added.append(conversion);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    this.#order.push(number === undefined ? 0 : number + 1);
    if (number !== undefined) return;
    this.#addedEnds.push(this.#added.length);
    this.#addedChecks.push(checkOf(conversion));
    this.#addedKeys.push(Buffer.from(key, 'hex'));
  }

  /**
   * Makes what was kept the next file, and closes this. To be called once the source was read to its end. A
   * disk that is full costs a line, and the next run its time.
   */
  publish(): void {
    const isSame = this.#addedChecks.length === 0 && this.#order.length === (this.#file?.count ?? 0);
    try {
      if (!isSame && !this.#hasFailed) this.#write();
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.close();
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#added.close();
    this.#file?.close();
  }

  /** In one turn: a signal finds no temporary file. */
  #write(): void {
    const temporary = temporaryPath(dirname(this.#path), 'refreshing');
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      try {
        writeAll(fd, MAGIC);
        writeAll(fd, this.#copyTo(fd));
      } finally {
        closeSync(fd);
      }
      renameSync(temporary, this.#path);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Copies the conversions in order, neighbours together; returns the index. */
  #copyTo(fd: number): Buffer {
    this.#added.flush();
    const order = this.#order.view();
    const keys = Buffer.allocUnsafe(order.length * KEY_BYTES);
    const ends = new Float64Array(order.length);
    const checks = new Uint32Array(order.length);
    const copy = new Copy(fd);
    let added = 0;
    let end = MAGIC.length;
    for (const [i, place] of order.entries()) {
      let length: number;
      if (place === 0) {
        const start = added === 0 ? 0 : this.#addedEnds.at(added - 1);
        length = this.#addedEnds.at(added) - start;
        keys.set(this.#addedKeys[added], i * KEY_BYTES);
        checks[i] = this.#addedChecks.at(added++);
        copy.add(this.#added.fd, start, length);
      } else {
        const file = this.#file as KeptFile; // the number is one of it
        const number = place - 1;
        const start = file.startOf(number);
        length = file.endOf(number) - start;
        file.keys.copy(keys, i * KEY_BYTES, number * KEY_BYTES, (number + 1) * KEY_BYTES);
        checks[i] = file.checks[number];
        copy.add(file.fd, start, length);
      }
      end += length;
      ends[i] = end;
    }
    copy.finish();
    return indexOf(this.#options.program, keys, ends, checks);
  }

  #fail({ message }: Error): void {
    this.#hasFailed = true;
    const path = this.#path;
    this.#options.report(`warning: ${path}: cannot be written (${message}); the next run takes longer`);
  }

  #warn(problem: string): void {
    this.#options.report(`warning: ${this.#path}: ${problem}; what it still held is converted again`);
  }
}

/** Parts of files, appended to another; neighbours share a read and a write. */
class Copy {
  readonly #target: number;
  readonly #buffer = Buffer.allocUnsafe(COPY_BYTES);
  #fd = -1;
  #start = 0;
  #end = 0;

  constructor(target: number) {
    this.#target = target;
  }

  add(fd: number, start: number, length: number): void {
    if (fd !== this.#fd || start !== this.#end) {
      this.finish();
      this.#fd = fd;
      this.#start = start;
    }
    this.#end = start + length;
  }

  finish(): void {
    for (let at = this.#start; at < this.#end; at += COPY_BYTES) {
      const piece = this.#buffer.subarray(0, Math.min(COPY_BYTES, this.#end - at));
      readAt(this.#fd, piece, at);
      writeAll(this.#target, piece);
    }
    this.#start = this.#end;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done);
}
