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
  type SectionName,
  snapshotIdOf,
} from '../format.ts';
import { checkHeader, requireSchemeRevisions } from './check-header.ts';
import { contentHash } from './content-hash.ts';
import { LoadHelper } from './load-helper.ts';
import type { ShareChecks } from './verify.ts';
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
export type HeldSection = BlockSection | 'origins';

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
  const { index } = roomForSections(header, []);
  readSection(fd, index, header.sections.index.offset);
  return publishedCount(viewColumns(new Uint8Array(index)));
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
 * computes that of a large file meanwhile and fills the sections of blocks, which `use` therefore must not
 * read, and it may be given checks; without one the hash is computed first, so that a wrong header costs no
 * memory. Throws SnapshotError with the first fault, a wrong hash before others.
 */
export function readOpenSnapshot<Result>(
  file: OpenSnapshot,
  use: (snapshot: SnapshotBytes, share?: ShareChecks) => Result,
  held: readonly HeldSection[] = BLOCK_SECTION_NAMES,
): Result {
  const { fd, header } = file;
  const { totalBytes } = header;
  const isHelped = LoadHelper.isWorth(totalBytes);
  if (!isHelped) requireHash(file, () => contentHash(fd, totalBytes));
  const sections = roomForSections(header, held);
  const filled = held.map((name) => ({ offset: header.sections[name].offset, bytes: sections[name] }));
  const helper = isHelped ? new LoadHelper({ fd, totalBytes, filled, index: sections.index }) : undefined;
  let result: Result;
  try {
    if (helper === undefined) for (const { offset, bytes } of filled) readSection(fd, bytes, offset);
    result = use(readIndex(file, sections), helper?.share);
  } catch (error) {
    if (isAboutReading(error)) helper?.abandon();
    else if (helper !== undefined) requireHash(file, () => helper.digest());
    throw error;
  } finally {
    helper?.close();
  }
  if (helper !== undefined) requireHash(file, () => helper.digest());
  requireUnchanged(file);
  return result;
}

type Sections = Readonly<Record<SectionName, SharedArrayBuffer>>;

function roomForSections({ sections }: Header, held: readonly HeldSection[]): Sections {
  const room = (name: SectionName): SharedArrayBuffer => {
    const isHeld = name === 'index' || held.includes(name);
    return new SharedArrayBuffer(isHeld ? sections[name].length : 0);
  };
  return Object.fromEntries(SECTIONS.map((name) => [name, room(name)])) as Sections; // has every name
}

function readIndex({ fd, header, id }: OpenSnapshot, { index, origins, ...packed }: Sections): SnapshotBytes {
  readSection(fd, index, header.sections.index.offset);
  const columns = viewColumns(new Uint8Array(index));
  requireOrigins(header, columns.advisoryId.length);
  return { id, header, packed, columns, origins };
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

function requireHash(file: OpenSnapshot, hash: () => Buffer): void {
  const { header } = file;
  const got = fromSystem(hash);
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

function readSection(fd: number, bytes: SharedArrayBuffer, offset: number): void {
  const length = bytes.byteLength;
  for (let at = 0; at < length; at += MAX_READ_BYTES) {
    readExactly(fd, new Uint8Array(bytes, at, Math.min(MAX_READ_BYTES, length - at)), offset + at);
  }
}

/**
 * The index is read twice, for the hash and to be used, and without a helper so are the other sections: a
 * file written to in between is not the one that was checked.
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
