// The advisories of an earlier snapshot, in the form in which the compiler keeps advisories between its
// passes. What was compiled from the same input is not packed again.

import { textAt, versionText } from '../index/column-texts.ts';
import { type BlockSection, type IndexColumns, NONE, RUN_COUNT } from '../index/columns.ts';
import { epssOf, kevDayOf } from '../index/items/rare-facts.ts';
import { runAt } from '../index/lookup/id-list.ts';
import {
  type Facts,
  type PackedSpan,
  TERM_COLUMNS,
  type TermText,
  VALUE_COLUMNS,
} from './packed-advisory.ts';
import type { KeptRows } from './section-rows.ts';

/** A snapshot whose bytes have been checked. */
export interface PreviousSnapshot {
  readonly columns: IndexColumns;
  /** The sections that hold blocks. */
  readonly packed: Readonly<Record<BlockSection, SharedArrayBuffer>>;
  /** An interned value. */
  readonly termAt: (term: number) => unknown;
}

export class PreviousAdvisories {
  readonly #snapshot: PreviousSnapshot;
  readonly #aliases: OrdinalAliases;
  readonly #terms: (TermText | undefined)[] = [];
  readonly #versions: (string | undefined)[] = [];
  readonly #slugs: (string | undefined)[] = [];

  constructor(snapshot: PreviousSnapshot) {
    this.#snapshot = snapshot;
    this.#aliases = new OrdinalAliases(snapshot.columns);
  }

  idOf(ordinal: number): number {
    return this.#snapshot.columns.advisoryId[ordinal];
  }

  runOf(ordinal: number): number {
    for (let run = 0; run < RUN_COUNT; run++)
      if (ordinal < runAt(this.#snapshot.columns, run).end) return run;
    throw new RangeError(`the previous snapshot has no advisory ${ordinal}`);
  }

  /**
   * Requires: it was compiled without a change to its fixes, so that its spans are those that it came with.
   */
  factsOf(ordinal: number): Facts {
    const { columns } = this.#snapshot;
    const product = columns.advisoryProduct[ordinal];
    return [
      VALUE_COLUMNS.map((name) => columns[name][ordinal]),
      TERM_COLUMNS.map((name) => this.#termAt(columns[name][ordinal])),
      this.runOf(ordinal),
      columns.productType[product],
      this.#slugAt(product),
      epssOf(columns, ordinal) ?? null,
      kevDayOf(columns, ordinal) ?? null,
      textAt(columns.sourceIdText, columns.sourceIdStart, ordinal),
      this.#aliases.of(ordinal),
      this.#spansOf(ordinal),
    ];
  }

  /** The sections that hold blocks, for records that are these ordinals or NONE. */
  keptRows(ordinals: Uint32Array): Readonly<Record<BlockSection, KeptRows>> {
    const { columns, packed } = this.#snapshot;
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

  #spansOf(ordinal: number): PackedSpan[] {
    const { advisorySpanStart, spanFrom, spanTo, spanToBound, spanFixedIn } = this.#snapshot.columns;
    const spans: PackedSpan[] = [];
    for (let span = advisorySpanStart[ordinal]; span < advisorySpanStart[ordinal + 1]; span++) {
      const [from, to, fixedIn] = [spanFrom, spanTo, spanFixedIn].map((column) =>
        this.#versionAt(column[span]),
      );
      spans.push([from, to, spanToBound[span], fixedIn]);
    }
    return spans;
  }

  #termAt(term: number): TermText {
    this.#terms[term] ??= JSON.stringify(this.#snapshot.termAt(term));
    return this.#terms[term];
  }

  #versionAt(version: number): string | null {
    if (version === NONE) return null;
    this.#versions[version] ??= versionText(this.#snapshot.columns, version);
    return this.#versions[version];
  }

  #slugAt(product: number): string {
    const { productSlug, productSlugStart } = this.#snapshot.columns;
    this.#slugs[product] ??= textAt(productSlug, productSlugStart, product);
    return this.#slugs[product];
  }
}

/** The alias columns the other way round: the aliases of each advisory. */
class OrdinalAliases {
  readonly #columns: IndexColumns;
  readonly #starts: Uint32Array;
  /** Numbers of aliases, by ordinal. */
  readonly #aliases: Uint32Array;

  constructor(columns: IndexColumns) {
    const { advisoryId, aliasAdvisory, aliasAdvisoryStart } = columns;
    const starts = new Uint32Array(advisoryId.length + 1);
    for (const ordinal of aliasAdvisory) starts[ordinal + 1]++;
    for (let ordinal = 0; ordinal < advisoryId.length; ordinal++) starts[ordinal + 1] += starts[ordinal];
    const next = starts.slice();
    const aliases = new Uint32Array(aliasAdvisory.length);
    for (let alias = 0; alias + 1 < aliasAdvisoryStart.length; alias++) {
      for (let at = aliasAdvisoryStart[alias]; at < aliasAdvisoryStart[alias + 1]; at++) {
        aliases[next[aliasAdvisory[at]]++] = alias;
      }
    }
    this.#columns = columns;
    this.#starts = starts;
    this.#aliases = aliases;
  }

  of(ordinal: number): string[] {
    const { aliasText, aliasStart } = this.#columns;
    return Array.from(this.#aliases.subarray(this.#starts[ordinal], this.#starts[ordinal + 1]), (alias) =>
      textAt(aliasText, aliasStart, alias),
    );
  }
}

export function shared(numbers: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(numbers.byteLength));
  copy.set(numbers);
  return copy;
}
