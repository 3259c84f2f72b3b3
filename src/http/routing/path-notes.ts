// What a thread remembers of paths that it is asked for again: the route, its parts, and what a handler made
// of them. A table of fixed size in which each path has one place, and a path that was asked for twice
// replaces another one there. One slot per hash: floods and collisions only cost misses.

import { randomInt } from 'node:crypto';
import { MULTIPLIER } from '../../index/memory/multiplier.ts';
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
/** Longer paths are neither kept nor hashed, which anyone could ask for. */
const MAX_PATH_CHARS = 256;

export class PathNotes {
  /** Nobody else can tell which paths share a place. */
  readonly #seed = randomInt(2 ** 32) | 0;
  /**
   * Of the paths that are kept, and of those that were asked for once: only a second time is worth an object.
   */
  readonly #kept = new Int32Array(PLACES);
  readonly #seen = new Int32Array(PLACES);
  readonly #paths = new Array<RememberedPath | undefined>(PLACES).fill(undefined);
  /** Of the last path. One request asks for its path up to three times. */
  #last = '';
  #lastHash = hashOf('', this.#seed);

  find(path: string): RememberedPath | undefined {
    if (path.length > MAX_PATH_CHARS) return undefined;
    const hash = this.#hashOf(path);
    const place = hash & (PLACES - 1);
    if (this.#kept[place] !== hash) return undefined;
    const found = this.#paths[place];
    return found !== undefined && found.path === path ? found : undefined;
  }

  /** Keeps a path that comes again. Requires: it always leads to this route and these parts. */
  meet(path: string, bound: BoundRoute, parts: PathParts): RememberedPath | undefined {
    if (path.length > MAX_PATH_CHARS) return undefined;
    const hash = this.#hashOf(path);
    const place = hash & (PLACES - 1);
    if (this.#seen[place] !== hash) {
      this.#seen[place] = hash;
      return undefined;
    }
    const kept: RememberedPath = { path, bound, parts, snapshotId: '', value: undefined };
    this.#kept[place] = hash;
    this.#paths[place] = kept;
    return kept;
  }

  #hashOf(path: string): number {
    if (path !== this.#last) {
      this.#lastHash = hashOf(path, this.#seed);
      this.#last = path;
    }
    return this.#lastHash;
  }
}

/**
 * Four characters at a time: a multiplication for each takes twice as long. A product's low bits depend on
 * low bits only, so the high ones are folded in.
 */
function hashOf(path: string, seed: number): number {
  const { length } = path;
  const wholeEnd = length & ~3;
  let hash = seed ^ length;
  let at = 0;
  for (; at < wholeEnd; at += 4) {
    const low = path.charCodeAt(at) | (path.charCodeAt(at + 1) << 8);
    const high = path.charCodeAt(at + 2) | (path.charCodeAt(at + 3) << 8);
    hash = Math.imul(hash ^ low ^ (high << 16), MULTIPLIER);
    hash ^= hash >>> 15;
  }
  for (; at < length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), MULTIPLIER);
  return hash ^ (hash >>> 15);
}
