// Writes zip archives, entry by entry: sound ones of any size, and broken ones, since an entry may say of
// itself what is not true. The end of the directory is written in its 64-bit form where the count or an
// offset needs it.

import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

/** What an entry says of itself, where that differs from its content. */
export interface EntryClaims {
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly compressedSize?: number;
  readonly offset?: number;
  /** Bytes of extra field before the content that the directory does not have. */
  readonly localExtra?: number;
}

const UTF8_NAMES = 0x800;
const DEFLATED = 8;
const VERSION = 45;
const WRITE_BYTES = 1 << 20;

export class ZipArchive {
  readonly #fd: number;
  readonly #pending: Buffer[] = [];
  #pendingBytes = 0;
  #offset = 0;
  readonly #directory: Buffer[] = [];

  constructor(path: string) {
    this.#fd = openSync(path, 'w');
  }

  add(name: string, content: string | Uint8Array, claims: EntryClaims = {}): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const method = claims.method ?? DEFLATED;
    const stored = method === DEFLATED ? deflateRawSync(bytes) : bytes;
    const encoded = Buffer.from(name);
    const common = Buffer.alloc(26); // what both headers have, from the version on
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(claims.flags ?? UTF8_NAMES, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(claims.crc ?? crc32(bytes), 10);
    common.writeUInt32LE(claims.compressedSize ?? stored.length, 14);
    common.writeUInt32LE(claims.size ?? bytes.length, 18);
    common.writeUInt16LE(encoded.length, 22);
    const local = Buffer.from(common);
    local.writeUInt16LE(claims.localExtra ?? 0, 24);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(claims.offset ?? this.#offset, 10);
    this.#directory.push(Buffer.concat([signature(0x02014b50), uint16(VERSION), common, place, encoded]));
    this.#write(Buffer.concat([signature(0x04034b50), local, encoded, Buffer.alloc(claims.localExtra ?? 0)]));
    this.#write(stored);
  }

  finish(): void {
    const start = this.#offset;
    for (const header of this.#directory) this.#write(header);
    const size = this.#offset - start;
    const count = this.#directory.length;
    if (count >= 0xffff || start >= 0xffffffff) this.#writeLongEnd(start, size, count);
    const end = Buffer.alloc(18);
    end.writeUInt16LE(Math.min(count, 0xffff), 4);
    end.writeUInt16LE(Math.min(count, 0xffff), 6);
    end.writeUInt32LE(Math.min(size, 0xffffffff), 8);
    end.writeUInt32LE(Math.min(start, 0xffffffff), 12);
    this.#write(Buffer.concat([signature(0x06054b50), end]));
    this.#flush();
    closeSync(this.#fd);
  }

  #writeLongEnd(start: number, size: number, count: number): void {
    const at = this.#offset;
    const end = Buffer.alloc(52);
    end.writeBigUInt64LE(44n, 0);
    end.writeUInt16LE(VERSION, 8);
    end.writeUInt16LE(VERSION, 10);
    end.writeBigUInt64LE(BigInt(count), 20);
    end.writeBigUInt64LE(BigInt(count), 28);
    end.writeBigUInt64LE(BigInt(size), 36);
    end.writeBigUInt64LE(BigInt(start), 44);
    this.#write(Buffer.concat([signature(0x06064b50), end]));
    const locator = Buffer.alloc(16);
    locator.writeBigUInt64LE(BigInt(at), 4);
    locator.writeUInt32LE(1, 12);
    this.#write(Buffer.concat([signature(0x07064b50), locator]));
  }

  #write(bytes: Uint8Array): void {
    this.#pending.push(Buffer.from(bytes));
    this.#pendingBytes += bytes.length;
    this.#offset += bytes.length;
    if (this.#pendingBytes >= WRITE_BYTES) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pending.splice(0));
    this.#pendingBytes = 0;
    let done = 0;
    while (done < bytes.length) done += writeSync(this.#fd, bytes, done);
  }
}

/** An archive of entries that are as they say. */
export function writeZip(path: string, entries: Iterable<readonly [name: string, content: string]>): void {
  const archive = new ZipArchive(path);
  for (const [name, content] of entries) archive.add(name, content);
  archive.finish();
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
