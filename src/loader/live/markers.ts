// Orders from an operator, as files next to the snapshots: accept a snapshot that shrank
// (`FILE.accept-shrink`), or serve an older one (`rollback.json`). Owns their names and contents;
// roll-back.ts and hot-swap.ts act on them. Why files: docs/decisions/0008.

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SNAPSHOT_ID } from '../../index/snapshot-id.ts';
import { findMark } from '../snapshot/reader.ts';
import type { SnapshotAge } from './snapshot-age.ts';
import { isSnapshotName } from './snapshot-folder.ts';

export const ROLL_BACK_FILE = 'rollback.json';
export const ACCEPT_SUFFIX = '.accept-shrink';

const MAX_MARKER_BYTES = 4096;
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0); // a pipe must not block the reader

/** The marker cannot be read, or its contents are invalid. */
export class MarkerError extends Error {
  override readonly name = 'MarkerError';
  /** Whether reading the same file may succeed later. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient = false) {
    super(message);
    this.isTransient = isTransient;
  }
}

export interface RollBackOrder {
  /** The snapshot to serve: its name in the folder, and its id, in case another file takes that name. */
  readonly file: string;
  readonly id: string;
  /** The snapshot rolled back from: only a newer one ends the roll-back. */
  readonly newerThan: SnapshotAge;
  readonly orderedAtMs: number;
}

export function formatRollBack({ file, id, newerThan, orderedAtMs }: RollBackOrder): string {
  const document = {
    file,
    id,
    newer_than: { id: newerThan.id, built_at: new Date(newerThan.builtAtMs).toISOString() },
    ordered_at: new Date(orderedAtMs).toISOString(),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Throws MarkerError. */
export function parseRollBack(text: string): RollBackOrder {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new MarkerError('it is not JSON');
  }
  const { file, id, newer_than, ordered_at } = membersOf(document, 'it');
  const newerThan = membersOf(newer_than, 'newer_than');
  if (typeof file !== 'string' || basename(file) !== file || !isSnapshotName(file)) {
    throw new MarkerError(`file is not the name of a snapshot: ${JSON.stringify(file)}`);
  }
  return {
    file,
    id: idOf(id, 'id'),
    newerThan: {
      id: idOf(newerThan.id, 'newer_than.id'),
      builtAtMs: numberOf(newerThan.built_at, 'newer_than.built_at'),
    },
    orderedAtMs: numberOf(ordered_at, 'ordered_at'),
  };
}

/** The id in a marker that accepts a smaller snapshot. Throws MarkerError. */
export function parseAccept(text: string): string {
  return idOf(text.trim(), 'its text');
}

/** Throws MarkerError when the file cannot be read, is not a regular file, or is too large for a marker. */
export function readMarker(path: string, maxBytes = MAX_MARKER_BYTES): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, OPEN_FLAGS);
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new MarkerError('it is not a regular file');
    if (stat.size > maxBytes) throw new MarkerError(`it is larger than ${maxBytes} bytes`);
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch (error) {
    if (error instanceof MarkerError) throw error;
    throw new MarkerError(`it cannot be read (${(error as NodeJS.ErrnoException).code})`, true);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Puts a marker in place atomically, readable by the server's user. Throws the system's error. */
export function writeMarker(path: string, text: string): void {
  const scratch = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    writeFileSync(scratch, text);
    // Whatever the umask: it holds no secret, and the server may run as another user.
    chmodSync(scratch, 0o644);
    renameSync(scratch, path);
  } finally {
    rmSync(scratch, { force: true });
  }
}

/** The result of looking at a marker; `bad` was reported when first seen. */
type MarkerLook<Value> =
  | { readonly kind: 'none' }
  | { readonly kind: 'bad' }
  | { readonly kind: 'read'; readonly value: Value };

/** Reads a marker again only when it has changed, and reports a problem with it once. */
export class MarkerWatch<Value> {
  readonly #path: string;
  readonly #parse: (text: string) => Value;
  readonly #onProblem: (path: string, problem: string) => void;
  readonly #maxBytes: number | undefined;
  /** Of the file as last read; undefined to read it at the next look, whether it changes or not. */
  #mark: string | undefined;
  #look: MarkerLook<Value> = { kind: 'none' };
  #reported: string | undefined;

  constructor(
    path: string,
    parse: (text: string) => Value,
    onProblem: (path: string, problem: string) => void,
    maxBytes?: number,
  ) {
    this.#maxBytes = maxBytes;
    this.#path = path;
    this.#parse = parse;
    this.#onProblem = onProblem;
  }

  look(): MarkerLook<Value> {
    const mark = findMark(this.#path);
    if (mark === undefined) {
      this.#mark = undefined;
      this.#reported = undefined;
      this.#look = { kind: 'none' };
      return this.#look;
    }
    if (mark === this.#mark) return this.#look;
    this.#mark = mark;
    try {
      this.#look = { kind: 'read', value: this.#parse(readMarker(this.#path, this.#maxBytes)) };
      this.#reported = undefined;
    } catch (error) {
      if (!(error instanceof MarkerError)) throw error;
      this.#look = { kind: 'bad' };
      if (error.isTransient) this.#mark = undefined; // a system error says nothing about the file
      if (error.message !== this.#reported) this.#onProblem(this.#path, error.message);
      this.#reported = error.message;
    }
    return this.#look;
  }
}

function membersOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new MarkerError(`${what} is not an object`);
}

function idOf(value: unknown, what: string): string {
  if (typeof value === 'string' && SNAPSHOT_ID.test(value)) return value;
  throw new MarkerError(`${what} is not a snapshot id of 16 hex digits: ${JSON.stringify(value)}`);
}

function numberOf(value: unknown, what: string): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (ms >= 0) return ms;
  throw new MarkerError(`${what} is not a time such as 2026-04-21T08:38:34.000Z: ${JSON.stringify(value)}`);
}
