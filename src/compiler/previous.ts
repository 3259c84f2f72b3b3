// The advisories of an earlier snapshot, by their columns and blocks. What was compiled from the same input
// is not packed again: its columns are copied, its numbers renumbered.

import { textAt, versionText } from '../index/column-texts.ts';
import {
  type BlockSection,
  FIRST_SHARED,
  type IndexColumns,
  NONE,
  numberOf,
  RUN_COUNT,
} from '../index/columns.ts';
import type { LabelTerm } from '../index/items/list-item.ts';
import { advisoriesOfAlias } from '../index/lookup/alias-table.ts';
import { runAt } from '../index/lookup/id-list.ts';
import { compareBytes } from '../index/memory/bytes.ts';
import { PackedCursor } from '../index/memory/packed-cursor.ts';
import { plainPackr } from './blocks.ts';
import type { Origins } from './packed-advisory.ts';
import type { KeptRows } from './section-rows.ts';

/** A label with its id, and null for a name that is the slug. */
export type FullLabel = readonly [id: number, name: string | null, premiumName: string | null];

/** A snapshot whose bytes have been checked. */
export interface PreviousSnapshot {
  readonly columns: IndexColumns;
  readonly origins: Origins;
  /** The sections that hold blocks. */
  readonly packed: Readonly<Record<BlockSection, SharedArrayBuffer>>;
  /** An interned value. */
  readonly termAt: (term: number) => unknown;
}

export class PreviousAdvisories {
  readonly columns: IndexColumns;
  readonly aliases: OrdinalAliases;
  readonly origins: Origins;
  readonly #snapshot: PreviousSnapshot;
  readonly #terms: PackedCursor;

  constructor(snapshot: PreviousSnapshot) {
    this.#snapshot = snapshot;
    this.columns = snapshot.columns;
    this.origins = snapshot.origins;
    this.#terms = new PackedCursor(snapshot.columns.termBytes);
    this.aliases = new OrdinalAliases(snapshot.columns);
  }

  idOf(ordinal: number): number {
    return this.columns.advisoryId[ordinal];
  }

  runOf(ordinal: number): number {
    for (let run = 0; run < RUN_COUNT; run++) if (ordinal < runAt(this.columns, run).end) return run;
    throw new RangeError(`the previous snapshot has no advisory ${ordinal}`);
  }

  /** With what it leaves out, but for a name that is the slug. */
  labelOf(ordinal: number): FullLabel {
    const { advisoryLabel, advisoryProduct } = this.columns;
    const label = this.#snapshot.termAt(advisoryLabel[ordinal]) as LabelTerm; // the loader checked its shape
    const [id, name, premiumName] = label;
    const product = advisoryProduct[ordinal];
    return [id ?? this.productId(product), name === this.slug(product) ? null : name, premiumName];
  }

  /** Whether a label leaves out its id, and a name that is the slug. Another writer may not do so. */
  hasShortLabel(ordinal: number): boolean {
    const { advisoryLabel, advisoryProduct, termStart, productSlug, productSlugStart } = this.columns;
    const term = advisoryLabel[ordinal];
    const product = advisoryProduct[ordinal];
    const label = this.#terms;
    label.enter(termStart[term], termStart[term + 1]);
    label.array();
    if (!label.nil()) return false;
    if (label.nil()) return true;
    label.string();
    const [start, end] = [productSlugStart[product], productSlugStart[product + 1]];
    return compareBytes(label.bytes, label.start, label.end, productSlug, start, end) !== 0;
  }

  productId(product: number): number {
    return numberOf(this.columns, this.columns.productNumber[product]);
  }

  /** An interned value, packed anew: another writer may use other forms of MessagePack. */
  termBytes(term: number): Buffer {
    return plainPackr.pack(this.#snapshot.termAt(term));
  }

  versionKey(version: number): Uint8Array {
    const { versionKey, versionKeyStart } = this.columns;
    return versionKey.subarray(versionKeyStart[version], versionKeyStart[version + 1]);
  }

  versionText(version: number): string {
    return versionText(this.columns, version);
  }

  slug(product: number): string {
    return textAt(this.columns.productSlug, this.columns.productSlugStart, product);
  }

  /** The sections that hold blocks, for records that are these ordinals or NONE. */
  keptRows(ordinals: Uint32Array): Readonly<Record<BlockSection, KeptRows>> {
    const { columns } = this;
    const { packed } = this.#snapshot;
    const rowOf = shared(ordinals);
    const rowCount = columns.advisoryId.length;
    const bodyOf = new Uint32Array(columns.advisoryId.length).fill(NONE);
    columns.bodyAdvisory.forEach((ordinal, row) => {
      bodyOf[ordinal] = row;
    });
    return {
      texts: {
        rowOf,
        rowCount,
        bytes: packed.texts,
        blockStarts: columns.textBlockStart,
        dictionary: columns.textDictionary,
      },
      details: {
        rowOf,
        rowCount,
        bytes: packed.details,
        blockStarts: columns.detailBlockStart,
        dictionary: columns.detailDictionary,
      },
      bodies: {
        rowOf: shared(ordinals.map((ordinal) => (ordinal === NONE ? NONE : bodyOf[ordinal]))),
        rowCount: columns.bodyAdvisory.length,
        bytes: packed.bodies,
        blockStarts: columns.bodyBlockStart,
        dictionary: columns.bodyDictionary,
      },
    };
  }
}

/** The alias columns the other way round: the aliases of each advisory. */
class OrdinalAliases {
  readonly #starts: Uint32Array;
  /** Numbers of aliases, by ordinal. */
  readonly #aliases: Uint32Array;

  constructor(columns: IndexColumns) {
    const { advisoryId, aliasAdvisory, sharedAliasAdvisory } = columns;
    const starts = new Uint32Array(advisoryId.length + 1);
    for (const ordinal of sharedAliasAdvisory) starts[ordinal + 1]++;
    for (const holder of aliasAdvisory) if (holder < FIRST_SHARED) starts[holder + 1]++;
    for (let ordinal = 0; ordinal < advisoryId.length; ordinal++) starts[ordinal + 1] += starts[ordinal];
    const next = starts.slice();
    const aliases = new Uint32Array(starts[advisoryId.length]);
    for (let alias = 0; alias < aliasAdvisory.length; alias++) {
      for (const ordinal of advisoriesOfAlias(columns, alias)) aliases[next[ordinal]++] = alias;
    }
    this.#starts = starts;
    this.#aliases = aliases;
  }

  of(ordinal: number): Uint32Array {
    return this.#aliases.subarray(this.#starts[ordinal], this.#starts[ordinal + 1]);
  }
}

/** Numbers of the previous snapshot and what became of them: each is looked up only once. */
export class Renumbering {
  readonly #numbers: Uint32Array;
  readonly #intern: (number: number) => number;

  constructor(count: number, intern: (number: number) => number) {
    this.#numbers = new Uint32Array(count).fill(NONE);
    this.#intern = intern;
  }

  of(number: number): number {
    const known = this.#numbers[number];
    if (known !== NONE) return known;
    this.#numbers[number] = this.#intern(number);
    return this.#numbers[number];
  }
}

export function shared(numbers: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(numbers.byteLength));
  copy.set(numbers);
  return copy;
}
