// The folder of snapshots at each scan: which files are candidates, which have stopped changing, and the
// state of the folder itself. hot-swap.ts judges the files.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SNAPSHOT_SUFFIX } from '../format.ts';
import { findMark } from '../snapshot/reader.ts';

/** Empty: no snapshot file, good or bad. */
export type FolderState =
  | { readonly kind: 'filled' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly error: Error };

export interface FolderLook {
  /** By path: the mark of each snapshot file. */
  readonly marks: ReadonlyMap<string, string>;
  /** Those that have not changed since the previous look; all of them with `includeFresh`. */
  readonly settled: ReadonlyMap<string, string>;
  /** Every name in the folder. */
  readonly names: ReadonlySet<string>;
}

export class SnapshotFolder {
  readonly path: string;
  readonly #onState: (state: FolderState) => void;
  /** The marks of the previous look, to wait until a slow copy is complete. */
  #seen: ReadonlyMap<string, string> = new Map();
  #state: FolderState = { kind: 'filled' };

  /** `onState` is called on every change; the initial state is taken to be filled. */
  constructor(path: string, onState: (state: FolderState) => void) {
    this.path = path;
    this.#onState = onState;
  }

  get state(): FolderState {
    return this.#state;
  }

  /** Undefined when the folder cannot be read. With `includeFresh` every file counts as settled. */
  look(includeFresh: boolean): FolderLook | undefined {
    const marks = new Map<string, string>();
    let names: readonly string[];
    try {
      names = readdirSync(this.path);
    } catch (error) {
      this.#enter({ kind: 'unreadable', error: error as Error }); // readdir throws nothing else
      return undefined;
    }
    for (const name of names) {
      if (!isSnapshotName(name)) continue;
      const path = join(this.path, name);
      const mark = findMark(path);
      if (mark !== undefined) marks.set(path, mark);
    }
    this.#enter({ kind: marks.size === 0 ? 'empty' : 'filled' });
    const seen = this.#seen;
    this.#seen = marks;
    const settled = includeFresh
      ? marks
      : new Map([...marks].filter(([path, mark]) => seen.get(path) === mark));
    return { marks, settled, names: new Set(names) };
  }

  #enter(state: FolderState): void {
    const last = this.#state;
    this.#state = state;
    const isSame =
      state.kind === 'unreadable'
        ? last.kind === 'unreadable' && last.error.message === state.error.message
        : last.kind === state.kind;
    if (!isSame) this.#onState(state);
  }
}

export function isSnapshotName(name: string): boolean {
  return name.endsWith(SNAPSHOT_SUFFIX) && !name.startsWith('.');
}
