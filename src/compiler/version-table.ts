// The distinct versions of a snapshot, each with its key. They are numbered as they arrive and renumbered once
// at the end, into ascending order of scheme, key and text, so that rows compare like versions.

import { compareKeys, VERSION_SCHEMES, type VersionScheme, versionKey } from '../index/version-key.ts';
import { compareUtf8, Pool } from './pool.ts';

interface Version {
  readonly schemeCode: number;
  readonly text: string;
  /** Empty for a fix that is no version of its scheme. */
  readonly key: Uint8Array;
}

const NO_KEY = new Uint8Array(0);

export interface SortedVersions {
  /** Final row of each version, by the number `intern` gave. */
  readonly rowOf: Uint32Array;
  /** Rank of each row's key among the distinct keys: equal for equal versions. */
  readonly keyRank: Uint32Array;
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
  readonly #numbers = VERSION_SCHEMES.map(() => new Map<string, number>());

  intern(scheme: VersionScheme, text: string): number {
    const schemeCode = VERSION_SCHEMES.indexOf(scheme);
    const known = this.#numbers[schemeCode].get(text);
    if (known !== undefined) return known;
    const number = this.#versions.length;
    this.#versions.push({ schemeCode, text, key: versionKey(scheme, text) ?? NO_KEY });
    this.#numbers[schemeCode].set(text, number);
    return number;
  }

  sort(): SortedVersions {
    const versions = this.#versions;
    const order = versions
      .map((_, number) => number)
      .sort((a, b) => compareVersions(versions[a], versions[b]));
    const rowOf = new Uint32Array(versions.length);
    const keyRank = new Uint32Array(versions.length);
    const schemeStart = new Uint32Array(VERSION_SCHEMES.length + 1);
    const texts = new Pool();
    const keys = new Pool();
    order.forEach((number, row) => {
      const version = versions[number];
      rowOf[number] = row;
      const previous = row === 0 ? undefined : versions[order[row - 1]];
      const isNewKey =
        previous !== undefined &&
        (previous.schemeCode !== version.schemeCode || compareKeys(previous.key, version.key) !== 0);
      keyRank[row] = row === 0 ? 0 : keyRank[row - 1] + (isNewKey ? 1 : 0);
      for (let scheme = version.schemeCode + 1; scheme < schemeStart.length; scheme++) schemeStart[scheme]++;
      texts.add(Buffer.from(version.text));
      keys.add(version.key);
    });
    return {
      rowOf,
      keyRank,
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
  return a.schemeCode - b.schemeCode || compareKeys(a.key, b.key) || compareUtf8(a.text, b.text);
}
