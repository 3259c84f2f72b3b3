// What every reader makes of a text: packages, and what was left out and why. Limits and equal packages are handled here,
// so that no reader has to.

import { type PackageRefusal, type PackageType, refusePackage } from './package.ts';
import { clip, Refusal } from './refusal.ts';

/** The type, name and version are all that is ever sent. */
export interface Package {
  readonly type: PackageType;
  readonly name: string;
  readonly version: string;
  /** Whether the project declares it itself; null if the text does not say. */
  readonly direct: boolean | null;
  /** The names under which it is declared: its own, or aliases of it. */
  readonly declaredAs: readonly string[];
  /** Where it was found: the first few of `placeCount`. */
  readonly places: readonly string[];
  readonly placeCount: number;
}

/** Why some entries were left out. */
export interface Note {
  readonly reason: string;
  readonly count: number;
  /** The first few names. */
  readonly examples: readonly string[];
}

/** Which program's commands change the versions. */
export type Updater = 'npm' | 'pnpm' | 'yarn' | 'yarn-classic';

export interface Inventory {
  /** For people, such as `package-lock.json, version 3`. */
  readonly format: string;
  readonly updater: Updater;
  /** Whether it is a list of plugins that might as well be one of themes: only the person knows. */
  readonly isEitherList: boolean;
  readonly packages: readonly Package[];
  readonly notes: readonly Note[];
}

export const MAX_PACKAGES = 200_000;
const MAX_PLACES = 3;
const MAX_EXAMPLES = 3;
const MAX_PLACE_CHARS = 200;

export interface Found {
  readonly type: PackageType;
  readonly name: string;
  readonly version: string | undefined;
  readonly place?: string;
  readonly direct?: boolean;
  /** The name under which it is declared. Requires: `direct`. */
  readonly declaredAs?: string;
}

interface Entry extends Package {
  direct: boolean | null;
  readonly declaredAs: string[];
  readonly places: string[];
  placeCount: number;
}

interface OpenNote {
  count: number;
  readonly examples: string[];
}

export class InventoryBuilder {
  readonly #packages = new Map<string, Entry>();
  readonly #notes = new Map<string, OpenNote>();

  /** Adds a package, or another place of one; leaves out one that no server could answer. */
  add({ type, name, version = '', place, direct, declaredAs }: Found): void {
    const refusal: PackageRefusal | undefined = refusePackage(name, version);
    if (refusal !== undefined) {
      this.leaveOut(refusal, name);
      return;
    }
    const key = `${type}\n${name}\n${version}`; // distinct: control characters were refused
    let entry = this.#packages.get(key);
    if (entry === undefined) {
      if (this.#packages.size === MAX_PACKAGES) {
        throw new Refusal(
          `This has more than ${MAX_PACKAGES.toLocaleString('en')} different packages. Split it and paste the parts one by one.`,
        );
      }
      entry = { type, name, version, direct: null, declaredAs: [], places: [], placeCount: 0 };
      this.#packages.set(key, entry);
    }
    if (direct !== undefined) entry.direct = direct || entry.direct === true;
    if (direct === true) addOnce(entry.declaredAs, declaredAs ?? name);
    if (place === undefined) return;
    entry.placeCount++;
    if (entry.places.length < MAX_PLACES) entry.places.push(clip(place, MAX_PLACE_CHARS));
  }

  leaveOut(reason: string, example: string): void {
    let note = this.#notes.get(reason);
    if (note === undefined) {
      note = { count: 0, examples: [] };
      this.#notes.set(reason, note);
    }
    note.count++;
    if (note.examples.length < MAX_EXAMPLES) note.examples.push(clip(example));
  }

  /** Something to know about the whole text. */
  remark(text: string): void {
    this.#notes.set(text, { count: 0, examples: [] });
  }

  inventory(format: string, updater: Updater = 'npm', isEitherList = false): Inventory {
    const notes = [...this.#notes].map(([reason, note]) => ({ reason, ...note }));
    return { format, updater, isEitherList, packages: [...this.#packages.values()], notes };
  }
}

function addOnce(list: string[], text: string): void {
  if (list.length < MAX_PLACES && !list.includes(text)) list.push(text);
}
