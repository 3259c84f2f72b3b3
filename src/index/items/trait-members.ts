// The members of an item that come from what advisories have in common, each rendered once for all items that
// have it.

import type { IndexColumns } from '../columns.ts';
import { before } from './item-layout.ts';
import { numberOrNull, quote } from './json-text.ts';
import type { CvssTerm, WeaknessTerm } from './list-item.ts';

const utf8 = new TextEncoder();

export type RenderedTraits = Pick<
  IndexColumns,
  'traitsVulnType' | 'traitsCvss' | 'traitsCwe' | 'traitsCapec'
>;

interface Members {
  /** `vuln_type`, and the name of the member that follows it. */
  readonly vulnType: Uint8Array;
  /** `cvss`, `cwe`, `capec`, and the name of the member that follows them. */
  readonly ratings: Uint8Array;
}

export class TraitMembers {
  readonly #columns: RenderedTraits;
  readonly #termAt: (term: number) => unknown;
  /** By row of the traits: each thread needs only some. */
  readonly #known = new Map<number, Members>();

  constructor(columns: RenderedTraits, termAt: (term: number) => unknown) {
    this.#columns = columns;
    this.#termAt = termAt;
  }

  of(traits: number): Members {
    let members = this.#known.get(traits);
    if (members === undefined) {
      members = this.#render(traits);
      this.#known.set(traits, members);
    }
    return members;
  }

  #render(traits: number): Members {
    const { traitsVulnType, traitsCvss, traitsCwe, traitsCapec } = this.#columns;
    const termAt = this.#termAt;
    const [score, vector] = termAt(traitsCvss[traits]) as CvssTerm;
    const [cweId, cweName] = termAt(traitsCwe[traits]) as WeaknessTerm;
    const [capecId, capecName] = termAt(traitsCapec[traits]) as WeaknessTerm;
    const vulnType = quote(termAt(traitsVulnType[traits]) as string);
    return {
      vulnType: utf8.encode(`${before('vulnType')}${vulnType}${before('cve')}`),
      ratings: utf8.encode(
        `${before('cvssScore')}${numberOrNull(score)}${before('cvssVector')}${textOrNull(vector)}` +
          `${before('cweId')}${numberOrNull(cweId)}${before('cweName')}${textOrNull(cweName)}` +
          `${before('capecId')}${numberOrNull(capecId)}${before('capecName')}${textOrNull(capecName)}${before('ghsa')}`,
      ),
    };
  }
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : quote(text);
}
