// The registry of ids as a file: refuses what is not one, tells a torn end from other damage, and appends so
// that a crash leaves either all new lines or an end that the next command cuts off.

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { writeAt } from '../../files/spill.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import { linesOfFile, parseLine, type RegistryLine } from './registry-lines.ts';

const NAME = 'vulndex-ids';
const VERSION = '1';
const HEADER = `${NAME}\t${VERSION}\n`;

export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}

export interface RegistryContent {
  /** Of the file. */
  readonly totalBytes: number;
  /** Of whole, valid lines. */
  readonly validBytes: number;
  readonly warnings: readonly string[];
}

interface RegistryChange {
  /** Of the file that was read, which must be the one that is changed. */
  readonly totalBytes: number;
  /** Everything behind it is cut off first. */
  readonly validBytes: number;
  /** Whole lines, in pieces of any size. */
  readonly lines: Iterable<Uint8Array> & { readonly length: number };
}

/**
 * Throws RegistryError if the file clearly cannot be read and written, or is something else. Reads only its
 * start.
 */
export function requireRegistry(file: string): void {
  const stats = lookAt(file);
  try {
    if (stats === undefined) {
      accessSync(dirname(file), constants.W_OK | constants.X_OK);
      return;
    }
    if (!stats.isFile()) {
      throw new RegistryError(
        `${file}: the registry of ids must be a file, but this is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}; name another with --ids`,
      );
    }
    accessSync(file, constants.R_OK | constants.W_OK);
    const fd = openSync(file, 'r');
    try {
      requireHeader(file, fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw explained(file, error);
  }
}

/**
 * Passes every line to `enter`, which returns what is wrong with it. A missing or empty file has no lines.
 * Throws RegistryError for a file that is something else or damaged, except at its end.
 */
export function readRegistry(
  file: string,
  enter: (line: RegistryLine) => string | undefined,
): RegistryContent {
  requireRegistry(file);
  if (lookAt(file) === undefined) return { totalBytes: 0, validBytes: 0, warnings: [] };
  const fd = openSync(file, 'r');
  try {
    const totalBytes = fstatSync(fd).size;
    if (!requireHeader(file, fd)) return { totalBytes, validBytes: 0, warnings: [] };
    let validBytes = HEADER.length;
    let number = 1;
    let torn: string | undefined;
    for (const { bytes, end, isWhole } of linesOfFile(fd, HEADER.length)) {
      if (torn !== undefined) throw damaged(file, number, torn);
      number++;
      if (!isWhole || bytes.includes(0)) {
        // A power cut can leave zeros in place of what was written.
        torn = isWhole ? 'has zero bytes' : 'has no line feed';
        continue;
      }
      const line = parseLine(bytes);
      const problem = typeof line === 'string' ? line : enter(line);
      if (problem !== undefined) throw damaged(file, number, problem);
      validBytes = end;
    }
    const warnings =
      torn === undefined
        ? []
        : [`${file}:${number}: warning: the last line ${torn}: it is incomplete, so it is cut off`];
    return { totalBytes, validBytes, warnings };
  } finally {
    closeSync(fd);
  }
}

/**
 * Appends the lines, and returns when they are on disk. Throws RegistryError, also if somebody else has
 * written to the file since it was read; the file is then as it was.
 */
export function appendToRegistry(file: string, { totalBytes, validBytes, lines }: RegistryChange): void {
  const isNew = lookAt(file) === undefined;
  if (isNew && lines.length === 0) return;
  try {
    const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o644);
    try {
      requireSize(file, fd, totalBytes);
      append(fd, validBytes, validBytes === 0 ? [Buffer.from(HEADER), ...lines] : lines);
    } finally {
      closeSync(fd);
    }
    if (isNew) syncFolder(dirname(file));
  } catch (error) {
    throw explained(file, error);
  }
}

function append(fd: number, validBytes: number, pieces: Iterable<Uint8Array>): void {
  try {
    ftruncateSync(fd, validBytes);
    let at = validBytes;
    for (const bytes of pieces) {
      writeAt(fd, bytes, at);
      at += bytes.length;
    }
    fsyncSync(fd);
  } catch (error) {
    ftruncateSync(fd, validBytes);
    throw error;
  }
}

/** Numbers that another command gave in the meantime must be neither cut off nor given again. */
function requireSize(file: string, fd: number, expected: number): void {
  const { size } = fstatSync(fd);
  if (size === expected) return;
  throw new RegistryError(
    `${file}: another command has changed the registry of ids (${size} bytes, expected ${expected}); nothing was written, try again`,
  );
}

/** False for an empty file, or one whose only line was torn: it can be begun again. */
function requireHeader(file: string, fd: number): boolean {
  const head = Buffer.alloc(HEADER.length);
  const text = head.toString('latin1', 0, readSync(fd, head, 0, head.length, 0));
  if (text === HEADER) return true;
  if (HEADER.startsWith(text)) return false;
  if (text.startsWith(`${NAME}\t`)) {
    throw new RegistryError(
      `${file}: this registry of ids has another version than ${VERSION}, so a newer release wrote it; use that release, or name another file with --ids`,
    );
  }
  throw new RegistryError(
    `${file}: this is not a registry of ids (its first line must be "${NAME}", a tab and "${VERSION}"); name another file with --ids`,
  );
}

function damaged(file: string, line: number, problem: string): RegistryError {
  return new RegistryError(
    `${file}:${line}: ${problem}; the registry of ids is damaged: restore it from a backup, as without it ids would change`,
  );
}

function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw explained(file, error);
  }
}

function explained(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof RegistryError || code === undefined) return error;
  return new RegistryError(
    `${file}: the registry of ids must be read and written, but ${PROBLEMS[code] ?? `that failed (${code})`}; name another file with --ids`,
    { cause: error },
  );
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission for that',
  EPERM: 'there is no permission for that',
  EROFS: 'it is on a read-only file system',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'part of its path is not a folder',
  ENOSPC: 'the disk is full',
};
