// What a thread remembers of paths that it was asked for: the route, its parts, and what a handler made of
// them. A table of fixed size in which each path has one place; another path with the same place replaces it.
// So nobody can make it grow or make a search in it long: who sends paths that collide only gets the speed of
// a path that was never asked for.

import type { PathParts } from './dialect.ts';
import type { PathNote } from './path-note.ts';
import type { BoundRoute } from './routes.ts';

/** One path. */
export interface RememberedPath extends PathNote {
  readonly path: string;
  readonly bound: BoundRoute;
  readonly parts: PathParts;
}

/** A power of two. With paths of 50 characters and the value of a lookup, some 1.5 MB for each thread. */
const PLACES = 4096;
/** Longer paths are not kept. */
const MAX_PATH_CHARS = 256;
/**
 * The characters that decide the place: the last ones, which hold the version and the end of the name.
 */
const HASHED_CHARS = 32;

export class PathNotes {
  readonly #notes = new Array<RememberedPath | undefined>(PLACES).fill(undefined);

  find(path: string): RememberedPath | undefined {
    const note = this.#notes[placeOf(path)];
    return note !== undefined && note.path === path ? note : undefined;
  }

  /** Requires: the path always leads to this route and these parts. */
  keep(path: string, bound: BoundRoute, parts: PathParts): RememberedPath | undefined {
    if (path.length > MAX_PATH_CHARS) return undefined;
    const note: RememberedPath = { path, bound, parts, snapshotId: '', value: undefined };
    this.#notes[placeOf(path)] = note;
    return note;
  }
}

/** FNV-1a, whose multiplication mixes the last characters least: the high bits are folded in. */
function placeOf(path: string): number {
  const { length } = path;
  let hash = length;
  for (let i = length > HASHED_CHARS ? length - HASHED_CHARS : 0; i < length; i++)
    hash = Math.imul(hash ^ path.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}
