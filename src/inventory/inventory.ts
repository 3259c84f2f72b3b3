// What every reader makes of a text: packages, and what was left out and why. Limits and equal packages are
// handled here, so that no reader has to.

import { formComplaint } from '../index/name-forms.ts';
import type { ProductType } from '../index/product-type.ts';
import { clip, Refusal } from './refusal.ts';

export interface Declaration {
  /** The package's own name, or an alias of it. */
  readonly alias: string;
  /** As the tool selects it, by folder or name; '' for the root. */
  readonly workspace: string;
  /** Whether the folder is linked to with `file:`: the commands for workspaces do not reach it. */
  readonly isLinked: boolean;
}

/** The type, name and version are all that is ever sent. */
export interface Package {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
  /** Whether the project declares it itself; null if the text does not say. */
  readonly direct: boolean | null;
  /** Where the project itself declares it. */
  readonly declarations: readonly Declaration[];
  /**
   * The ranges that it is the answer to; none if the text does not say, `*` among them if they are too many
   * to keep.
   */
  readonly ranges: readonly string[];
  /** Where it was found: the first few of `placeCount`. */
  readonly places: readonly string[];
  readonly placeCount: number;
}

/** Why some entries were left out. */
export interface Note {
  readonly reason: string;
  readonly count: number;
  /** Whether nothing is known about them: they are neither the project's own nor absent. */
  readonly isOpen: boolean;
  /** The first few names. */
  readonly examples: readonly string[];
}

/** The programs whose commands change the versions of npm packages. */
export type NpmUpdater = 'npm' | 'pnpm' | 'yarn' | 'yarn-classic' | 'bun' | 'deno';
/** With those of other types that have several; the usual one of each type needs no name. */
export type Updater = NpmUpdater | 'pipenv' | 'poetry' | 'uv';

export interface Inventory {
  /** For people, such as `package-lock.json, version 3`. */
  readonly format: string;
  readonly updater: Updater;
  /** Whether it is a list of plugins that might as well be one of themes: only the person knows. */
  readonly isEitherList: boolean;
  readonly packages: readonly Package[];
  readonly notes: readonly Note[];
}

/** Of entries that are no package from elsewhere, or not there. */
const SETTLED: ReadonlySet<string> = new Set([
  'a link to a folder',
  'a package of the workspace itself',
  'an optional package that is not installed',
  'not installed',
  'a plugin of the build',
]);

/** How many entries cannot be looked up. */
export function countOpen(notes: readonly Note[]): number {
  return notes.reduce((sum, { isOpen, count }) => sum + (isOpen ? count : 0), 0);
}

export const MAX_PACKAGES = 200_000;
const MAX_PLACES = 3;
const MAX_EXAMPLES = 3;
/** A list with more is not complete. */
export const MAX_RANGES = 100;
const MAX_PLACE_CHARS = 200;

interface Found {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string | undefined;
  readonly place?: string;
  readonly direct?: boolean;
  /** Of a direct one: by its own name in the root if absent. */
  readonly declarations?: readonly Partial<Declaration>[];
  readonly ranges?: Iterable<string>;
}

interface Entry extends Package {
  direct: boolean | null;
  readonly declarations: Declaration[];
  readonly ranges: string[];
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
  add({ type, name, version = '', place, direct, declarations = [{}], ranges = [] }: Found): void {
    const refusal: PackageRefusal | undefined = refusePackage(type, name, version);
    if (refusal !== undefined) {
      this.leaveOut(refusal, name);
      return;
    }
    const key = `${type}\n${name}\n${version}`; // distinct: control characters were refused
    let entry = this.#packages.get(key);
    if (entry === undefined) {
      if (this.#packages.size === MAX_PACKAGES) {
        throw new Refusal(
          `This has more than ${MAX_PACKAGES.toLocaleString('en')} different packages. Split it.`,
        );
      }
      entry = { type, name, version, direct: null, declarations: [], ranges: [], places: [], placeCount: 0 };
      this.#packages.set(key, entry);
    }
    if (direct !== undefined) entry.direct = direct || entry.direct === true;
    if (direct === true) {
      for (const each of declarations)
        declare(entry, { alias: name, workspace: '', isLinked: false, ...each });
    }
    for (const range of ranges) addRange(entry.ranges, range);
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

  /** Requires: a version of the format that is not known, but whose form is. */
  remarkNewer(version: string, known: number): void {
    this.remark(
      `The file has version ${clip(version, 20)}; it was read like version ${known}, the newest known here.`,
    );
  }

  inventory(format: string, updater: Updater = 'npm', isEitherList = false): Inventory {
    const notes = [...this.#notes].map(([reason, note]) => {
      return { reason, isOpen: note.count > 0 && !SETTLED.has(reason), ...note };
    });
    return { format, updater, isEitherList, packages: [...this.#packages.values()], notes };
  }
}

function declare({ declarations }: Entry, added: Declaration): void {
  const isKnown = declarations.some(
    ({ alias, workspace }) => alias === added.alias && workspace === added.workspace,
  );
  if (!isKnown) declarations.push(added);
}

/**
 * A list that is full ends in `*`: whoever asks whether a range includes a version is told that one might.
 */
function addRange(ranges: string[], range: string): void {
  if (ranges.length > MAX_RANGES || ranges.includes(range)) return;
  ranges.push(ranges.length === MAX_RANGES ? '*' : range);
}

const MAX_BYTES = 256; // of a name, and of a version

type PackageRefusal = 'no name' | 'no version' | 'a name or version that no server accepts';

/**
 * Why it cannot be asked, or undefined. One bad name would make the server refuse the 49 others of a batch,
 * so such packages are left out beforehand.
 */
function refusePackage(type: ProductType, name: string, version: string): PackageRefusal | undefined {
  if (name === '') return 'no name';
  if (version === '' || version === '*') return 'no version'; // `*` would ask for all versions
  const isText = [name, version].every((text) => !isTooLong(text) && !/\p{Cc}/u.test(text));
  return isText && !formComplaint(type, name) ? undefined : 'a name or version that no server accepts';
}

function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES;
}
