// The distinct versions of a snapshot, each with its key. They are numbered as they arrive and renumbered at
// the end, in ascending order of scheme, key and text, so that rows compare like versions.

import assert from 'node:assert/strict';
import { isUnboundedBelow } from '../index/lookup/interval.ts';
import { GrowableU8, GrowableU32 } from '../index/memory/growable.ts';
import { isLiteralKey, literalKey } from '../index/versions/literal-version.ts';
import { compareKeys, keyUnder, SCHEME_TABLE, type SchemeFacts } from '../index/versions/version-key.ts';
import { Pool } from './pool.ts';
import { sortByWords } from './sort-by-words.ts';

/** Of a fix that is not a version of its scheme. */
const NO_KEY = new Uint8Array(0);

export interface SortedVersions {
  /** Final row of each version, by the number that `intern` returned. */
  readonly rowOf: Uint32Array;
  /** Rank of each row's key among the distinct keys: equal for equal versions. */
  readonly keyRank: Uint32Array;
  /** The rows that mean "no bound" when used as a lower bound. */
  readonly unboundedRows: ReadonlySet<number>;
  /** The lowest row of each rank. */
  readonly rowOfRank: Uint32Array;
  readonly textOf: (row: number) => string;
  /** Sign of the rank's key against another key of its scheme. */
  readonly compareRank: (rank: number, key: Uint8Array) => number;
  readonly columns: {
    readonly versionSchemeStart: Uint32Array;
    readonly versionTextStart: Uint32Array;
    readonly versionText: Uint8Array;
    readonly versionKeyStart: Uint32Array;
    readonly versionKey: Uint8Array;
  };
}

export class VersionTable {
  // By number: the code of its scheme, its text and its key.
  readonly #schemes = new GrowableU8();
  readonly #texts = new Pool();
  readonly #keys = new Pool();
  readonly #unbounded: number[] = [];
  readonly #numbers = SCHEME_TABLE.map(() => new Map<string, number>());
  /** Of texts as literals; as a fix, the same text has no key. */
  readonly #literals = SCHEME_TABLE.map(() => new Map<string, number>());

  intern(scheme: SchemeFacts, text: string): number {
    return this.#numbers[scheme.code].get(text) ?? this.#add(scheme, text, keyUnder(scheme, text) ?? NO_KEY);
  }

  /** A bound, which may be a text that the scheme cannot order. */
  internBound(scheme: SchemeFacts, text: string): number {
    const known = this.#numbers[scheme.code].get(text);
    if (known !== undefined && this.#keys.at(known).length > 0) return known;
    const key = keyUnder(scheme, text) ?? literalKey(text);
    assert.ok(key !== undefined, `${text} is neither a ${scheme.name} version nor can it be a literal`);
    return this.internKeyed(scheme, text, key);
  }

  /** As `intern` or `internBound`, where the key is known. */
  internKeyed(scheme: SchemeFacts, text: string, key: Uint8Array): number {
    const isLiteral = scheme.isStrict && isLiteralKey(key, 0, key.length);
    const numbers = (isLiteral ? this.#literals : this.#numbers)[scheme.code];
    return numbers.get(text) ?? this.#add(scheme, text, key, numbers);
  }

  #add(scheme: SchemeFacts, text: string, key: Uint8Array, numbers = this.#numbers[scheme.code]): number {
    const number = this.#texts.addText(text);
    this.#keys.add(key);
    this.#schemes.push(scheme.code);
    if (isUnboundedBelow(scheme, text)) this.#unbounded.push(number);
    numbers.set(text, number);
    return number;
  }

  sort(): SortedVersions {
    const schemes = this.#schemes.view();
    const [ofTexts, ofKeys] = [this.#texts, this.#keys];
    const compareVersions = (a: number, b: number): number =>
      schemes[a] - schemes[b] || ofKeys.compare(a, b) || ofTexts.compare(a, b);
    const wordAt = (number: number, round: number): number =>
      round === 0 ? schemes[number] : ofKeys.wordOf(number, round - 1);
    const order = sortByWords(0, schemes.length, wordAt, compareVersions);
    const rowOf = new Uint32Array(order.length);
    const keyRank = new Uint32Array(order.length);
    const rowOfRank = new GrowableU32();
    const schemeStart = new Uint32Array(SCHEME_TABLE.length + 1);
    const texts = new Pool();
    const keys = new Pool();
    order.forEach((number, row) => {
      rowOf[number] = row;
      const previous = order[row - 1];
      const isNewKey =
        row > 0 && (schemes[previous] !== schemes[number] || ofKeys.compare(previous, number) !== 0);
      keyRank[row] = row === 0 ? 0 : keyRank[row - 1] + (isNewKey ? 1 : 0);
      if (keyRank[row] === rowOfRank.length) rowOfRank.push(row);
      for (let scheme = schemes[number] + 1; scheme < schemeStart.length; scheme++) schemeStart[scheme]++;
      texts.add(ofTexts.at(number));
      keys.add(ofKeys.at(number));
    });
    const lowestRows = rowOfRank.view();
    return {
      rowOf,
      keyRank,
      unboundedRows: new Set(this.#unbounded.map((number) => rowOf[number])),
      rowOfRank: lowestRows,
      textOf: (row) => ofTexts.at(order[row]).toString(),
      compareRank: (rank, key) => compareKeys(ofKeys.at(order[lowestRows[rank]]), key),
      columns: {
        versionSchemeStart: schemeStart,
        versionTextStart: texts.starts,
        versionText: texts.bytes,
        versionKeyStart: keys.starts,
        versionKey: keys.bytes,
      },
    };
  }
}
