// What the last publication of `refresh` was made of, so that the next one can tell whether anything is new: a
// fingerprint of each source, of the configuration and of the program, and the snapshot that came of them.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { replaceFile } from '../../files/replace-file.ts';
import { SourceError } from '../../importers/source.ts';

export interface RefreshState {
  /** Of everything that the data depends on. */
  readonly fingerprint: string;
  /** The id of the snapshot. */
  readonly snapshot: string;
}

const FILE = 'refresh.json';

/** Undefined if there is none, or a damaged one: everything then counts as new. */
export function readState(folder: string): RefreshState | undefined {
  try {
    const { fingerprint, snapshot } = JSON.parse(
      readFileSync(join(folder, FILE), 'utf8'),
    ) as Partial<RefreshState>;
    return typeof fingerprint === 'string' && typeof snapshot === 'string'
      ? { fingerprint, snapshot }
      : undefined;
  } catch {
    return undefined;
  }
}

export function writeState(folder: string, state: RefreshState): void {
  replaceFile(join(folder, FILE), `${JSON.stringify(state)}\n`);
}

/** One fingerprint of several texts. */
export function combine(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Of a file: its content. Of a folder: the paths, sizes and times of all files in it, since reading hundreds of thousands of
 * them takes as long as importing them. Throws SourceError if it cannot be read.
 */
export async function fingerprintOf(path: string): Promise<string> {
  try {
    const hash = createHash('sha256');
    const stats = statSync(path);
    if (stats.isDirectory()) addFolder(hash, path);
    else await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SourceError(`${path}: cannot be read (${code}); check the path and its permissions`, {
      cause: error,
    });
  }
}

function addFolder(hash: Hash, folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const stats: Stats | undefined = entry.isDirectory()
      ? undefined
      : statSync(path, { throwIfNoEntry: false });
    // A link to nothing is part of the folder too; the importer decides what it makes of it.
    hash.update(JSON.stringify([path, stats?.size, stats?.mtimeMs]));
    if (entry.isDirectory()) addFolder(hash, path);
  }
}
