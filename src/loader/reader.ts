// Reads a snapshot file and checks it from the outside in: header (check-header.ts), checksum, the vectors of
// the index section (view-columns.ts). verify.ts checks their values.

import { createHash, type Hash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { IndexColumns } from '../index/columns.ts';
import { checkHeader, requireSchemeRevisions } from './check-header.ts';
import { SnapshotError, type SnapshotErrorCode } from './errors.ts';
import { markOf } from './file-mark.ts';
import { HASH_BYTES, HASH_OFFSET, HEADER_BYTES, type Header, snapshotIdOf } from './format.ts';
import { viewColumns } from './view-columns.ts';

const READ_BYTES = 256 << 10; // small enough to be hashed while still in the CPU cache
/**
 * The most shared memory allocated before the file's hash is checked. A larger file is hashed in a first
 * pass: then a wrong header costs no memory, and a right one adds a tenth to the load time.
 */
const MAX_UNHASHED_BYTES = 64 << 20;
/** Sections that are held in memory, in file order. The texts never are. */
const LATER_SECTIONS = ['details', 'bodies', 'index'] as const;
type LaterSection = (typeof LATER_SECTIONS)[number];
/** Without O_NONBLOCK, opening a pipe waits for a writer. Undefined on Windows. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The sections whose blocks are inflated on demand, in shared memory like everything the columns view. */
export interface PackedSections {
  readonly details: Uint8Array;
  readonly bodies: Uint8Array;
}

export interface SnapshotBytes {
  readonly id: string;
  readonly header: Header;
  readonly packed: PackedSections;
  readonly columns: IndexColumns;
}

/** Bytes first..last of the texts section; the next call may overwrite the view. */
export type TextSource = (first: number, last: number) => Uint8Array;

/** A file with a sound header. All reads use one descriptor, whatever happens to the file's name. */
export interface OpenSnapshot {
  readonly fd: number;
  readonly stat: BigIntStats;
  /** Changes whenever the file does: file-mark.ts. */
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

/** `readOpenSnapshot` of a file by its path. */
export function readSnapshot<Result>(
  path: string,
  use: (snapshot: SnapshotBytes, texts: TextSource) => Result,
  maxUnhashedBytes = MAX_UNHASHED_BYTES,
): Result {
  return withSnapshot(path, (file) => readOpenSnapshot(file, use, maxUnhashedBytes));
}

/** `readSnapshot` without details and bodies, which are hashed but not held: `packed` is empty. */
export function readSnapshotIndex<Result>(
  path: string,
  use: (snapshot: SnapshotBytes, texts: TextSource) => Result,
): Result {
  return withSnapshot(path, (file) => readOpenSnapshot(file, use, MAX_UNHASHED_BYTES, ['index']));
}

/**
 * Reads a file and passes the contents to `use`. The texts are needed only once, while a generation is built,
 * so they are read on demand and never held in memory as a whole. Throws SnapshotError with the first fault.
 */
export function readOpenSnapshot<Result>(
  { fd, stat, header }: OpenSnapshot,
  use: (snapshot: SnapshotBytes, texts: TextSource) => Result,
  maxUnhashedBytes = MAX_UNHASHED_BYTES,
  kept: readonly LaterSection[] = LATER_SECTIONS,
): Result {
  const snapshot = readSections(fd, header, maxUnhashedBytes, kept);
  const buffer = new GrowingBuffer();
  const result = use(snapshot, (first, last) => {
    const target = buffer.ofLength(last - first);
    return readExactly(fd, target, header.sections.texts.offset + first);
  });
  requireUnchanged(stat, statOf(fd));
  return result;
}

/** The texts are read after the checksum: a file written to in between is not the one that was checked. */
function requireUnchanged(before: BigIntStats, after: BigIntStats): void {
  if (markOf(before) === markOf(after)) return;
  throw new SnapshotError({
    code: 'changed-while-read',
    section: 'file',
    offset: 0,
    expected: `the file as it was at ${before.ctime.toISOString()}`,
    got: `one that changed at ${after.ctime.toISOString()}`,
  });
}

/** The sections to keep; the others are only hashed. */
function readSections(
  fd: number,
  header: Header,
  maxUnhashedBytes: number,
  kept: readonly LaterSection[],
): SnapshotBytes {
  const { sections, totalBytes } = header;
  const hash = createHash('sha256');
  const passed = new Uint8Array(READ_BYTES);
  /** Hashes file bytes first..last, keeping them in `target` when one is given. */
  const take = (into: Hash, first: number, last: number, target?: Uint8Array): void => {
    for (let at = first; at < last; at += READ_BYTES) {
      const end = Math.min(last, at + READ_BYTES);
      const part = target?.subarray(at - first, end - first) ?? passed.subarray(0, end - at);
      into.update(readExactly(fd, part, at));
    }
  };
  const start = readExactly(fd, new Uint8Array(HEADER_BYTES), 0);
  hash.update(start.subarray(0, HASH_OFFSET)).update(start.subarray(HASH_OFFSET + HASH_BYTES));
  take(hash, HEADER_BYTES, sections.details.offset);
  const keptBytes = kept.reduce((sum, name) => sum + sections[name].length, 0);
  const isHashedFirst = keptBytes > maxUnhashedBytes;
  if (isHashedFirst) {
    const inPassing = hash.copy();
    take(inPassing, sections.details.offset, totalBytes);
    requireHash(header, inPassing, 'checksum-mismatch');
  }
  let at = sections.details.offset;
  const keep = (name: LaterSection): Uint8Array => {
    const { offset, length } = sections[name];
    const bytes = new Uint8Array(new SharedArrayBuffer(kept.includes(name) ? length : 0));
    take(hash, at, offset); // padding
    at = offset + length;
    take(hash, offset, at, kept.includes(name) ? bytes : undefined);
    return bytes;
  };
  const packed = { details: keep('details'), bodies: keep('bodies') };
  const index = keep('index');
  requireHash(header, hash, isHashedFirst ? 'changed-while-read' : 'checksum-mismatch');
  requireSchemeRevisions(header);
  return { id: snapshotIdOf(header.hash), header, packed, columns: viewColumns(index) };
}

function requireHash(header: Header, hash: Hash, code: SnapshotErrorCode): void {
  const got = hash.digest();
  if (got.equals(header.hash)) return;
  throw new SnapshotError({
    code,
    section: 'header',
    offset: HASH_OFFSET,
    expected: snapshotIdOf(header.hash),
    got: snapshotIdOf(got),
  });
}

/** One buffer for reads of different lengths. */
class GrowingBuffer {
  #bytes = new Uint8Array(0);

  ofLength(length: number): Uint8Array {
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(length);
    return this.#bytes.subarray(0, length);
  }
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
