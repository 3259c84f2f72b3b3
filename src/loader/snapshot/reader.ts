// Reads a snapshot file and checks it from the outside in: header (check-header.ts), checksum, the vectors of
// the index section (view-columns.ts). verify.ts checks their values.

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { BLOCK_SECTION_NAMES, type BlockSection, type IndexColumns } from '../../index/columns.ts';
import { publishedCount } from '../../index/lookup/id-list.ts';
import { SnapshotError } from '../errors.ts';
import {
  HASH_OFFSET,
  HEADER_BYTES,
  type Header,
  ORIGIN_BYTES,
  SECTION_ENTRY_BYTES,
  SECTION_TABLE_OFFSET,
  SECTIONS,
  type SectionBounds,
  snapshotIdOf,
} from '../format.ts';
import { checkHeader, requireSchemeRevisions } from './check-header.ts';
import { ContentHash } from './content-hash.ts';
import { viewColumns } from './view-columns.ts';

const MAX_READ_BYTES = 1 << 30; // below 2 GiB, the most that one call reads
/** Without O_NONBLOCK, opening a pipe waits for a writer. Undefined on Windows. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The sections whose blocks are inflated on demand, in shared memory like everything the columns view. Not as
 * arrays of bytes, of which Node 20 allows at most 4 GiB.
 */
export type PackedSections = Readonly<Record<BlockSection, SharedArrayBuffer>>;

/** A section that is held on demand. */
type HeldSection = BlockSection | 'origins';

export interface SnapshotBytes {
  readonly id: string;
  readonly header: Header;
  readonly packed: PackedSections;
  /** Only a compiler asks for it. */
  readonly origins: SharedArrayBuffer;
  readonly columns: IndexColumns;
}

/** A file with a sound header. All reads use one descriptor, whatever happens to the file's name. */
export interface OpenSnapshot {
  readonly fd: number;
  readonly stat: BigIntStats;
  /** Changes whenever the file does. */
  readonly mark: string;
  readonly header: Header;
  readonly id: string;
}

/** Opens a file, checks its header, passes it to `use`, and closes it afterwards. Throws SnapshotError. */
export function withSnapshot<Result>(path: string, use: (file: OpenSnapshot) => Result): Result {
  const fd = fromSystem(() => openSync(path, OPEN_FLAGS));
  try {
    const stat = statOf(fd);
    const header = readHeader(fd, stat);
    return use({ fd, stat, mark: markOf(stat), header, id: snapshotIdOf(header.hash) });
  } finally {
    closeSync(fd);
  }
}

/** Reads and checks the header alone. Throws SnapshotError. */
export function readSnapshotHeader(path: string): { header: Header; id: string } {
  return withSnapshot(path, ({ header, id }) => ({ header, id }));
}

/** How many advisories an open file says it has; its hash is not checked. Throws SnapshotError. */
export function readPublishedCount({ fd, header }: OpenSnapshot): number {
  return publishedCount(viewColumns(new Uint8Array(readSection(fd, header.sections.index))));
}

/**
 * What is in a file: its index, and the sections to be held; the others are empty. By default those with
 * blocks. Throws SnapshotError.
 */
export function readSnapshot(path: string, held?: readonly HeldSection[]): SnapshotBytes {
  return withSnapshot(path, (file) => readOpenSnapshot(file, (snapshot) => snapshot, held));
}

/**
 * Reads a file and passes it to `use`, whose result counts only if the content hash is right. A helper thread
 * computes that of a large file meanwhile; without one it is computed first, so that a wrong header costs no
 * memory. Throws SnapshotError with the first fault, a wrong hash before others.
 */
export function readOpenSnapshot<Result>(
  file: OpenSnapshot,
  use: (snapshot: SnapshotBytes) => Result,
  held: readonly HeldSection[] = BLOCK_SECTION_NAMES,
): Result {
  const hash = new ContentHash(file.fd, file.header.totalBytes);
  if (!hash.isHelped) requireHash(file, hash);
  let result: Result;
  try {
    result = use(readSections(file, held));
  } catch (error) {
    if (isAboutReading(error)) hash.abandon();
    else if (hash.isHelped) requireHash(file, hash);
    throw error;
  }
  if (hash.isHelped) requireHash(file, hash);
  requireUnchanged(file);
  return result;
}

function readSections({ fd, header, id }: OpenSnapshot, held: readonly HeldSection[]): SnapshotBytes {
  const section = (name: HeldSection): SharedArrayBuffer =>
    held.includes(name) ? readSection(fd, header.sections[name]) : new SharedArrayBuffer(0);
  const packed = { texts: section('texts'), details: section('details'), bodies: section('bodies') };
  const columns = viewColumns(new Uint8Array(readSection(fd, header.sections.index)));
  requireOrigins(header, columns.advisoryId.length);
  return { id, header, packed, columns, origins: section('origins') };
}

function requireOrigins({ sections }: Header, advisoryCount: number): void {
  const expected = advisoryCount * ORIGIN_BYTES;
  if (sections.origins.length === expected) return;
  throw new SnapshotError({
    code: 'bad-layout',
    section: 'header',
    offset: SECTION_TABLE_OFFSET + SECTIONS.indexOf('origins') * SECTION_ENTRY_BYTES + 8,
    expected: `${expected} bytes of origins`,
    got: String(sections.origins.length),
  });
}

function isAboutReading(error: unknown): boolean {
  return error instanceof SnapshotError && (error.code === 'truncated' || error.code === 'unreadable');
}

function requireHash(file: OpenSnapshot, hash: ContentHash): void {
  const { header } = file;
  const got = fromSystem(() => hash.digest());
  requireUnchanged(file);
  if (!got.equals(header.hash)) {
    throw new SnapshotError({
      code: 'checksum-mismatch',
      section: 'header',
      offset: HASH_OFFSET,
      expected: snapshotIdOf(header.hash),
      got: snapshotIdOf(got),
    });
  }
  requireSchemeRevisions(header);
}

function readSection(fd: number, { offset, length }: SectionBounds): SharedArrayBuffer {
  const bytes = new SharedArrayBuffer(length);
  for (let at = 0; at < length; at += MAX_READ_BYTES) {
    readExactly(fd, new Uint8Array(bytes, at, Math.min(MAX_READ_BYTES, length - at)), offset + at);
  }
  return bytes;
}

/**
 * Sections are read twice, for the hash and to be used: a file written to in between is not the one that was
 * checked.
 */
function requireUnchanged({ fd, stat }: OpenSnapshot): void {
  const after = statOf(fd);
  if (markOf(stat) === markOf(after)) return;
  throw new SnapshotError({
    code: 'changed-while-read',
    section: 'file',
    offset: 0,
    expected: `the file as it was at ${stat.ctime.toISOString()}`,
    got: `one that changed at ${after.ctime.toISOString()}`,
  });
}

function statOf(fd: number): BigIntStats {
  return fromSystem(() => fstatSync(fd, { bigint: true }));
}

/** The result of a system call. Its error, which says nothing about the bytes, becomes `unreadable`. */
function fromSystem<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    const fault = { section: 'file', offset: 0, expected: 'a readable file', got: code } as const;
    throw new SnapshotError({ code: 'unreadable', ...fault });
  }
}

function readHeader(fd: number, stat: BigIntStats): Header {
  if (!stat.isFile()) {
    throw new SnapshotError({
      code: 'unreadable',
      section: 'file',
      offset: 0,
      expected: 'a file',
      got: 'something else',
    });
  }
  const size = Number(stat.size);
  return checkHeader(readExactly(fd, new Uint8Array(Math.min(size, HEADER_BYTES)), 0), size);
}

/** Fills the target from the file, or throws: a file may shrink while being read. */
function readExactly(fd: number, target: Uint8Array, position: number): Uint8Array {
  let done = 0;
  while (done < target.length) {
    const count = fromSystem(() => readSync(fd, target, done, target.length - done, position + done));
    if (count === 0) {
      throw new SnapshotError({
        code: 'truncated',
        section: 'file',
        offset: position + done,
        expected: `${target.length - done} more bytes`,
        got: 'the end of the file',
      });
    }
    done += count;
  }
  return target;
}

/** A text that changes whenever the file or its contents do. It includes ctime, which nobody can set back. */
export function markOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Undefined when there is no such file. If stat fails, the mark is the error code. */
export function findMark(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : markOf(stat);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'; // stat throws nothing else
  }
}
