// The members of an item that come from interned values, each rendered once for all items that have it.

import { before } from './item-layout.ts';
import { numberOrNull, quote } from './json-text.ts';
import type { CvssTerm, WeaknessTerm } from './list-item.ts';

const utf8 = new TextEncoder();

export class TermMembers {
  readonly #termAt: (term: number) => unknown;
  /** By term. */
  readonly #vulnTypes: (Uint8Array | undefined)[];
  readonly #cvss: (Uint8Array | undefined)[];
  readonly #cwes: (Uint8Array | undefined)[];
  readonly #capecs: (Uint8Array | undefined)[];

  constructor(termCount: number, termAt: (term: number) => unknown) {
    this.#termAt = termAt;
    this.#vulnTypes = new Array(termCount); // full length at once: a sparse array would become a hash table
    this.#cvss = new Array(termCount);
    this.#cwes = new Array(termCount);
    this.#capecs = new Array(termCount);
  }

  /** The member, and the name of the one that follows it. */
  vulnType(term: number): Uint8Array {
    return this.#member(
      this.#vulnTypes,
      term,
      (value) => `${before('vulnType')}${quote(value as string)}${before('cve')}`,
    );
  }

  cvss(term: number): Uint8Array {
    return this.#member(this.#cvss, term, (value) => {
      const [score, vector] = value as CvssTerm;
      return `${before('cvssScore')}${numberOrNull(score)}${before('cvssVector')}${textOrNull(vector)}`;
    });
  }

  cwe(term: number): Uint8Array {
    return this.#member(this.#cwes, term, (value) => {
      const [id, name] = value as WeaknessTerm;
      return `${before('cweId')}${numberOrNull(id)}${before('cweName')}${textOrNull(name)}`;
    });
  }

  /** The member, and the name of the one that follows it. */
  capec(term: number): Uint8Array {
    return this.#member(this.#capecs, term, (value) => {
      const [id, name] = value as WeaknessTerm;
      return `${before('capecId')}${numberOrNull(id)}${before('capecName')}${textOrNull(name)}${before('ghsa')}`;
    });
  }

  /** The bytes of an interned value's member, rendered on first use. */
  #member(known: (Uint8Array | undefined)[], term: number, render: (value: unknown) => string): Uint8Array {
    const member = known[term];
    if (member !== undefined) return member;
    const rendered = utf8.encode(render(this.#termAt(term)));
    known[term] = rendered;
    return rendered;
  }
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : quote(text);
}
