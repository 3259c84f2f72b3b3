// What the last publication of `refresh` was made of, so that the next one can tell whether anything is new:
// a fingerprint of each source, of the configuration and of the program, and the snapshot that came of them.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SourceError } from '../../download/source-error.ts';
import { replaceFile } from '../../files/replace-file.ts';

interface RefreshState {
  /** Of everything that the data depends on. */
  readonly fingerprint: string;
  /** The id of the snapshot. */
  readonly snapshot: string;
  readonly sources: readonly KnownSource[];
}

/** One source, when the snapshot was published. */
export interface KnownSource {
  /** Which one it is: a hash of its kind and location. */
  readonly source: string;
  readonly fingerprint: string;
  /** When the fingerprint was first seen. */
  readonly changedAtMs: number;
}

const FILE = 'refresh.json';

/** Undefined if there is none, or a damaged one: everything then counts as new. */
export function readState(folder: string): RefreshState | undefined {
  try {
    const text = readFileSync(join(folder, FILE), 'utf8');
    const { fingerprint, snapshot, sources } = JSON.parse(text) as Partial<StateJson>; // checked below
    if (typeof fingerprint !== 'string' || typeof snapshot !== 'string') return undefined;
    return { fingerprint, snapshot, sources: knownSources(sources) };
  } catch {
    return undefined;
  }
}

export function writeState(folder: string, { sources, ...state }: RefreshState): void {
  const known: SourceJson[] = sources.map(({ source, fingerprint, changedAtMs }) => ({
    ...{ source, fingerprint, changed_at: new Date(changedAtMs).toISOString() },
  }));
  replaceFile(join(folder, FILE), `${JSON.stringify({ ...state, sources: known })}\n`);
}

interface SourceJson {
  readonly source: string;
  readonly fingerprint: string;
  readonly changed_at: string;
}

type StateJson = Omit<RefreshState, 'sources'> & { readonly sources: readonly Partial<SourceJson>[] };

/** Those that are sound: they only tell how old a source is. */
function knownSources(sources: StateJson['sources'] | undefined): KnownSource[] {
  if (!Array.isArray(sources)) return [];
  return sources.flatMap(({ source, fingerprint, changed_at: changedAt }: Partial<SourceJson>) => {
    const changedAtMs = Date.parse(String(changedAt));
    const isSound = typeof source === 'string' && typeof fingerprint === 'string' && changedAtMs >= 0;
    return isSound ? [{ source, fingerprint, changedAtMs }] : [];
  });
}

/** One fingerprint of several texts. */
export function combine(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Of a file: its content. Of a folder: the paths, sizes and times of all files in it, since reading hundreds
 * of thousands of them takes as long as importing them. Throws SourceError if it cannot be read.
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
