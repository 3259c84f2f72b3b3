// The file that keeps the conversions of one source for its next run, and what it takes for whole. Damage is
// found before it is used: the index has a digest, and each conversion a checksum.
//
//   magic 8 | conversions | program | keys 16 n | ends 8 n | checks 4 n | footer 48
//   footer: programBytes 8 | count 8 | SHA-256 of all from `program` to `count`
//
// Nothing is synced to disk: what a power cut leaves behind is damaged at worst, and then not used.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readUpTo } from '../../files/read-up-to.ts';
import { sha256 } from '../sha256.ts';

export const MAGIC = Buffer.from('vdxkept1', 'latin1');
export const KEY_BYTES = 16;
const ROW_BYTES = KEY_BYTES + 8 + 4;
const COUNT_BYTES = 16;
const FOOTER_BYTES = COUNT_BYTES + 32;
/** Some times what osv.dev has; their index takes 56 MB. */
export const MAX_KEPT = 2 << 20;
const MAX_PROGRAM_BYTES = 4096;
const WINDOW_BYTES = 1 << 18;

/** 128 bits of SHA-256 in hex. */
export type Key = string;

export function checkOf(conversion: Uint8Array): number {
  return Number.parseInt(sha256(conversion).slice(0, 8), 16);
}

/** What follows the conversions. Requires: as many bytes of keys, ends and checks as conversions. */
export function indexOf(program: string, keys: Uint8Array, ends: Float64Array, checks: Uint32Array): Buffer {
  const text = Buffer.from(program);
  const counts = Buffer.alloc(COUNT_BYTES);
  counts.writeDoubleLE(text.length, 0);
  counts.writeDoubleLE(ends.length, 8);
  const index = Buffer.concat([text, keys, bytesOf(ends), bytesOf(checks), counts]);
  return Buffer.concat([index, createHash('sha256').update(index).digest()]);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export class KeptFile {
  readonly fd: number;
  /** What has made it. */
  readonly program: string;
  readonly keys: Buffer;
  readonly #ends: Float64Array;
  readonly checks: Uint32Array;
  /** Parts of the file, read ahead: the same order is the usual one. Conversions are views of it. */
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  /** Undefined if there is none. Throws Error, with what is wrong, for one that is damaged or foreign. */
  static open(path: string): KeptFile | undefined {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return new KeptFile(fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  private constructor(fd: number) {
    this.fd = fd;
    const { size } = fstatSync(fd);
    if (!this.#bytesAt(0, MAGIC.length).equals(MAGIC)) throw new Error('is not a file of this kind');
    const footer = this.#bytesAt(size - FOOTER_BYTES, FOOTER_BYTES);
    const [programBytes, count] = [footer.readDoubleLE(0), footer.readDoubleLE(8)];
    const indexBytes = programBytes + count * ROW_BYTES + COUNT_BYTES;
    const indexStart = size - FOOTER_BYTES + COUNT_BYTES - indexBytes;
    const isPossible =
      isCount(programBytes, MAX_PROGRAM_BYTES) && isCount(count, MAX_KEPT) && indexStart >= MAGIC.length;
    if (!isPossible) throw new Error('is truncated or damaged');
    const index = this.#bytesAt(indexStart, indexBytes);
    const digest = createHash('sha256').update(index).digest();
    if (!digest.equals(footer.subarray(COUNT_BYTES))) throw new Error('is truncated or damaged');
    const endsAt = programBytes + count * KEY_BYTES;
    const checksAt = endsAt + count * 8;
    this.program = index.toString('utf8', 0, programBytes);
    this.keys = index.subarray(programBytes, endsAt);
    // Copied: numbers must be aligned.
    this.#ends = new Float64Array(new Uint8Array(index.subarray(endsAt, checksAt)).buffer);
    this.checks = new Uint32Array(new Uint8Array(index.subarray(checksAt, checksAt + count * 4)).buffer);
  }

  get count(): number {
    return this.checks.length;
  }

  startOf(number: number): number {
    return number === 0 ? MAGIC.length : this.#ends[number - 1];
  }

  endOf(number: number): number {
    return this.#ends[number];
  }

  /** Undefined if its bytes are not those that were written. They are not reused. */
  conversionAt(number: number): Uint8Array | undefined {
    const start = this.startOf(number);
    const end = this.endOf(number);
    if (start < this.#start || end > this.#start + this.#window.length) {
      this.#window = this.#bytesAt(start, Math.max(WINDOW_BYTES, end - start), true);
      this.#start = start;
    }
    const conversion = this.#window.subarray(start - this.#start, end - this.#start);
    const isWhole = conversion.length === end - start && checkOf(conversion) === this.checks[number];
    return isWhole ? conversion : undefined;
  }

  close(): void {
    closeSync(this.fd);
  }

  #bytesAt(position: number, length: number, mayEnd = false): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const count = position < 0 ? 0 : readUpTo(this.fd, bytes, position);
    if (count < length && !mayEnd) throw new Error('is truncated or damaged');
    return bytes.subarray(0, count);
  }
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}
