// The distinct versions of a snapshot, each with its key. They are numbered as they arrive and renumbered at
// the end, in ascending order of scheme, key and text, so that rows compare like versions.

import assert from 'node:assert/strict';
import { isUnboundedBelow } from '../index/lookup/interval.ts';
import { GrowableU32 } from '../index/memory/growable.ts';
import { isLiteralKey, literalKey } from '../index/versions/literal-version.ts';
import { compareKeys, keyUnder, SCHEME_TABLE, type SchemeFacts } from '../index/versions/version-key.ts';
import { compareUtf8, Pool } from './pool.ts';

interface Version {
  readonly scheme: SchemeFacts;
  readonly text: string;
  /** Empty for a fix that is not a version of its scheme. */
  readonly key: Uint8Array;
}

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
  readonly #versions: Version[] = [];
  readonly #numbers = SCHEME_TABLE.map(() => new Map<string, number>());
  /** Of texts as literals; as a fix, the same text has no key. */
  readonly #literals = SCHEME_TABLE.map(() => new Map<string, number>());

  intern(scheme: SchemeFacts, text: string): number {
    return this.#numbers[scheme.code].get(text) ?? this.#add(scheme, text, keyUnder(scheme, text) ?? NO_KEY);
  }

  /** A bound, which may be a text that the scheme cannot order. */
  internBound(scheme: SchemeFacts, text: string): number {
    const known = this.#numbers[scheme.code].get(text);
    if (known !== undefined && this.#versions[known].key.length > 0) return known;
    const key = keyUnder(scheme, text) ?? literalKey(text);
    assert.ok(key !== undefined, `${text} is neither a ${scheme.name} version nor can it be a literal`);
    return this.internKeyed(scheme, text, key);
  }

  /** As `intern` or `internBound`, where the key is known. It is not copied. */
  internKeyed(scheme: SchemeFacts, text: string, key: Uint8Array): number {
    const isLiteral = scheme.isStrict && isLiteralKey(key, 0, key.length);
    const numbers = (isLiteral ? this.#literals : this.#numbers)[scheme.code];
    return numbers.get(text) ?? this.#add(scheme, text, key, numbers);
  }

  #add(scheme: SchemeFacts, text: string, key: Uint8Array, numbers = this.#numbers[scheme.code]): number {
    const number = this.#versions.push({ scheme, text, key }) - 1;
    numbers.set(text, number);
    return number;
  }

  sort(): SortedVersions {
    const versions = this.#versions;
    const order = versions
      .map((_, number) => number)
      .sort((a, b) => compareVersions(versions[a], versions[b]));
    const rowOf = new Uint32Array(versions.length);
    const keyRank = new Uint32Array(versions.length);
    const rowOfRank = new GrowableU32();
    const unboundedRows = new Set<number>();
    const schemeStart = new Uint32Array(SCHEME_TABLE.length + 1);
    const texts = new Pool();
    const keys = new Pool();
    order.forEach((number, row) => {
      const version = versions[number];
      rowOf[number] = row;
      const previous = row === 0 ? undefined : versions[order[row - 1]];
      const isNewKey =
        previous !== undefined &&
        (previous.scheme !== version.scheme || compareKeys(previous.key, version.key) !== 0);
      keyRank[row] = row === 0 ? 0 : keyRank[row - 1] + (isNewKey ? 1 : 0);
      if (keyRank[row] === rowOfRank.length) rowOfRank.push(row);
      if (isUnboundedBelow(version.scheme, version.text)) unboundedRows.add(row);
      for (let scheme = version.scheme.code + 1; scheme < schemeStart.length; scheme++) schemeStart[scheme]++;
      texts.add(Buffer.from(version.text));
      keys.add(version.key);
    });
    const lowestRows = rowOfRank.view();
    return {
      rowOf,
      keyRank,
      unboundedRows,
      rowOfRank: lowestRows,
      textOf: (row) => versions[order[row]].text,
      compareRank: (rank, key) => compareKeys(versions[order[lowestRows[rank]]].key, key),
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

function compareVersions(a: Version, b: Version): number {
  return a.scheme.code - b.scheme.code || compareKeys(a.key, b.key) || compareUtf8(a.text, b.text);
}
