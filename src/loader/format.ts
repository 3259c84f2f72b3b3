// The snapshot file's fixed part: magic, format number, header layout, section order. Mirrors
// docs/snapshot-format.md; used by the compiler to write and by the reader to read. Little-endian throughout.
//
//      0  magic                    8 bytes
//      8  format number            u32
//     12  header size              u32      192
//     16  total length             u64      bytes of the whole file
//     24  built at                 u64      milliseconds since the epoch
//     32  content hash             32 bytes SHA-256 of everything before byte 32 and from byte 64 on
//     64  scheme revisions         24 x u16 one for each scheme in the order of their codes; the rest zero
//    112  texts offset, length     2 x u64
//    128  details offset, length   2 x u64
//    144  bodies offset, length    2 x u64
//    160  index offset, length     2 x u64
//    176  origins offset, length   2 x u64
//    192  sections, each beginning at a multiple of 8, in the order texts, details, bodies, index, origins

import type { BlockSectionBytes } from '../index/columns.ts';
import { SNAPSHOT_ID_DIGITS } from '../index/snapshot-id.ts';
import { SCHEME_REVISIONS, VERSION_SCHEMES } from '../index/versions/version-key.ts';

/** Made as PNG's is: a high bit, a name, and line endings that a text-mode transfer would change. */
export const MAGIC = Uint8Array.of(0x89, 0x56, 0x44, 0x58, 0x0d, 0x0a, 0x1a, 0x0a);
export const FORMAT = 9;
export const HEADER_BYTES = 192;
export const HASH_OFFSET = 32;
export const HASH_BYTES = 32;
const SECTION_ALIGNMENT = 8;
export const SNAPSHOT_SUFFIX = '.vdx';

export const SECTIONS = ['texts', 'details', 'bodies', 'index', 'origins'] as const; // in file order
export type SectionName = (typeof SECTIONS)[number];

export const MAX_SECTION_BYTES: Readonly<Record<SectionName, number>> = {
  texts: Number.MAX_SAFE_INTEGER, // where blocks begin is an f64 column
  details: Number.MAX_SAFE_INTEGER,
  bodies: Number.MAX_SAFE_INTEGER,
  index: 2 ** 31 - 1, // FlatBuffers reads its offsets as signed
  origins: Number.MAX_SAFE_INTEGER,
};

export const REVISIONS_OFFSET = 64;
export const REVISION_BYTES = 2;
const MAX_SCHEMES = 24;
export const SECTION_TABLE_OFFSET = REVISIONS_OFFSET + REVISION_BYTES * MAX_SCHEMES;
export const SECTION_ENTRY_BYTES = 16;
/** Of the section of origins, for each advisory: all high halves, then all low ones. */
export const ORIGIN_BYTES = 8;

export interface SectionBounds {
  readonly offset: number;
  readonly length: number;
}

export interface Header {
  readonly magic: Uint8Array;
  readonly format: number;
  readonly headerBytes: number;
  readonly totalBytes: number;
  readonly builtAtMs: number;
  readonly hash: Uint8Array;
  /** One for each of VERSION_SCHEMES, in that order. */
  readonly schemeRevisions: readonly number[];
  readonly sections: Readonly<Record<SectionName, SectionBounds>>;
}

/** Parses the header without validating it. Requires: at least HEADER_BYTES bytes. */
export function parseHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const u64 = (at: number): number => Number(view.getBigUint64(at, true));
  const section = (name: SectionName): SectionBounds => {
    const at = SECTION_TABLE_OFFSET + SECTIONS.indexOf(name) * SECTION_ENTRY_BYTES;
    return { offset: u64(at), length: u64(at + 8) };
  };
  return {
    magic: bytes.slice(0, MAGIC.length),
    format: view.getUint32(8, true),
    headerBytes: view.getUint32(12, true),
    totalBytes: u64(16),
    builtAtMs: u64(24),
    hash: bytes.slice(HASH_OFFSET, HASH_OFFSET + HASH_BYTES),
    schemeRevisions: VERSION_SCHEMES.map((_, i) =>
      view.getUint16(REVISIONS_OFFSET + REVISION_BYTES * i, true),
    ),
    sections: {
      texts: section('texts'),
      details: section('details'),
      bodies: section('bodies'),
      index: section('index'),
      origins: section('origins'),
    },
  };
}

export function blockSectionBytes({ sections }: Header): BlockSectionBytes {
  const { texts, details, bodies } = sections;
  return { texts: texts.length, details: details.length, bodies: bodies.length };
}

/** The header's bytes, with the hash still zero. */
export function formatHeader(
  builtAtMs: number,
  totalBytes: number,
  sections: Readonly<Record<SectionName, SectionBounds>>,
): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(8, FORMAT, true);
  view.setUint32(12, HEADER_BYTES, true);
  view.setBigUint64(16, BigInt(totalBytes), true);
  view.setBigUint64(24, BigInt(builtAtMs), true);
  VERSION_SCHEMES.forEach((scheme, i) => {
    view.setUint16(REVISIONS_OFFSET + REVISION_BYTES * i, SCHEME_REVISIONS[scheme], true);
  });
  SECTIONS.forEach((name, i) => {
    const at = SECTION_TABLE_OFFSET + i * SECTION_ENTRY_BYTES;
    view.setBigUint64(at, BigInt(sections[name].offset), true);
    view.setBigUint64(at + 8, BigInt(sections[name].length), true);
  });
  return bytes;
}

/** The next section offset at or after `offset`. */
export function alignSection(offset: number): number {
  return Math.ceil(offset / SECTION_ALIGNMENT) * SECTION_ALIGNMENT;
}

export function snapshotIdOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex').slice(0, SNAPSHOT_ID_DIGITS);
}
