// Writes a zip archive into memory, entry by entry: deflated, without times, so that the same entries make
// the same bytes. The snapshot of all of npm has more entries than the original format can count, so the end
// is in ZIP64 form where needed.
//
//     per entry: local header | name | deflated content        then: directory | ZIP64 end and its locator | end
//
// Sizes and numbers are little-endian. Libraries either keep all contents until the end, or cannot write
// ZIP64 without streams.

import { crc32, deflateRawSync } from 'node:zlib';
import { ByteWriter } from '../../index/memory/byte-writer.ts';

const LOCAL_SIGNATURE = 0x04034b50;
const ENTRY_SIGNATURE = 0x02014b50;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const END_SIGNATURE = 0x06054b50;
const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const ZIP64_END_BYTES = 56;
const ZIP64_LOCATOR_BYTES = 20;
const END_BYTES = 22;
const DEFLATE_VERSION = 20;
const ZIP64_VERSION = 45;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
/** 1980-01-01, the earliest: a date of zero is not one. */
const NO_DATE = 0x0021;
const MAX_U16 = 0xffff;
const MAX_U32 = 0xffff_ffff;
const INITIAL_BYTES = 1024 * 1024;
/** What 32-bit offsets address: beyond it, each entry would need an extra field. */
const MAX_ARCHIVE_BYTES = MAX_U32;
// Entries have some KB: a smaller window takes less time to set up and finds as much.
const DEFLATE_OPTIONS = { level: 6, windowBits: 14, memLevel: 7 } as const;

const allocate = (size: number): Uint8Array => new Uint8Array(size);

/** What an archive holds of a file: it may be put into several. */
interface ZipEntry {
  readonly name: Buffer;
  /** The local header without its name, of which the directory repeats the most. */
  readonly facts: Buffer;
  readonly deflated: Buffer;
}

export function deflateEntry(name: string, content: Uint8Array): ZipEntry {
  const nameBytes = Buffer.from(name);
  const deflated = deflateRawSync(content, DEFLATE_OPTIONS);
  const facts = Buffer.alloc(LOCAL_BYTES);
  facts.writeUInt32LE(LOCAL_SIGNATURE, 0);
  facts.writeUInt16LE(DEFLATE_VERSION, 4);
  facts.writeUInt16LE(UTF8_NAMES, 6);
  facts.writeUInt16LE(DEFLATED, 8);
  facts.writeUInt16LE(0, 10); // midnight
  facts.writeUInt16LE(NO_DATE, 12);
  facts.writeUInt32LE(crc32(content), 14);
  facts.writeUInt32LE(deflated.length, 18);
  facts.writeUInt32LE(content.length, 22);
  facts.writeUInt16LE(nameBytes.length, 26);
  facts.writeUInt16LE(0, 28); // no extra field
  return { name: nameBytes, facts, deflated };
}

export class ZipWriter {
  readonly #out = new ByteWriter(allocate, INITIAL_BYTES, MAX_ARCHIVE_BYTES);
  readonly #directory = new ByteWriter(allocate, INITIAL_BYTES, MAX_ARCHIVE_BYTES);
  #count = 0;

  /** How many entries it has. */
  get count(): number {
    return this.#count;
  }

  /** Throws WriterFullError beyond 4 GiB. */
  add({ name, facts, deflated }: ZipEntry): void {
    const offset = this.#out.length;
    this.#out.piece(facts);
    this.#out.piece(name);
    this.#out.piece(deflated);
    const entry = Buffer.alloc(ENTRY_BYTES);
    entry.writeUInt32LE(ENTRY_SIGNATURE, 0);
    entry.writeUInt16LE(DEFLATE_VERSION, 4); // made by
    facts.copy(entry, 6, 4); // from the version needed to the length of the extra field
    entry.writeUInt32LE(offset, 42); // before it: comment, disk and attributes, which are 0
    this.#directory.piece(entry);
    this.#directory.piece(name);
    this.#count++;
  }

  /** The archive, in memory of exactly its size from `allocate`. The writer must not be used again. */
  finish(allocate: (size: number) => Uint8Array): Uint8Array {
    const start = this.#out.length;
    const size = this.#directory.length;
    const end = endRecords(this.#count, start, size);
    const bytes = allocate(start + size + end.length);
    bytes.set(this.#out.view());
    bytes.set(this.#directory.view(), start);
    bytes.set(end, start + size);
    return bytes;
  }
}

function endRecords(count: number, directoryStart: number, directoryBytes: number): Buffer {
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END_SIGNATURE, 0);
  end.writeUInt16LE(Math.min(count, MAX_U16), 8);
  end.writeUInt16LE(Math.min(count, MAX_U16), 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(directoryStart, 16);
  if (count < MAX_U16) return end;
  const zip64 = Buffer.alloc(ZIP64_END_BYTES);
  zip64.writeUInt32LE(ZIP64_END_SIGNATURE, 0);
  zip64.writeBigUInt64LE(BigInt(ZIP64_END_BYTES - 12), 4); // what comes after this number
  zip64.writeUInt16LE(ZIP64_VERSION, 12);
  zip64.writeUInt16LE(ZIP64_VERSION, 14);
  zip64.writeBigUInt64LE(BigInt(count), 24); // before it: disks, which are 0
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(BigInt(directoryBytes), 40);
  zip64.writeBigUInt64LE(BigInt(directoryStart), 48);
  const locator = Buffer.alloc(ZIP64_LOCATOR_BYTES);
  locator.writeUInt32LE(ZIP64_LOCATOR_SIGNATURE, 0);
  locator.writeBigUInt64LE(BigInt(directoryStart + directoryBytes), 8);
  locator.writeUInt32LE(1, 16); // disks
  return Buffer.concat([zip64, locator, end]);
}
