// The members of an item that come from interned values, each rendered once for all items that have it.

import { before } from './item-layout.ts';
import { numberOrNull, quote } from './json-text.ts';
import type { CvssTerm, WeaknessTerm } from './list-item.ts';

const utf8 = new TextEncoder();

/** The kinds of member, to tell apart what one term makes in two of them. */
const KINDS = { vulnType: 0, cvss: 1, cwe: 2, capec: 3 } as const;
const KIND_COUNT = 4;

export class TermMembers {
  readonly #termAt: (term: number) => unknown;
  /**
   * By term and kind. Of the terms of a snapshot only some make a member, and each thread needs only some.
   */
  readonly #known = new Map<number, Uint8Array>();

  constructor(termAt: (term: number) => unknown) {
    this.#termAt = termAt;
  }

  /** The member, and the name of the one that follows it. */
  vulnType(term: number): Uint8Array {
    return this.#member(KINDS.vulnType, term, renderVulnType);
  }

  cvss(term: number): Uint8Array {
    return this.#member(KINDS.cvss, term, renderCvss);
  }

  cwe(term: number): Uint8Array {
    return this.#member(KINDS.cwe, term, renderCwe);
  }

  /** The member, and the name of the one that follows it. */
  capec(term: number): Uint8Array {
    return this.#member(KINDS.capec, term, renderCapec);
  }

  /** The bytes of an interned value's member, rendered on first use. */
  #member(kind: number, term: number, render: (value: unknown) => string): Uint8Array {
    const key = term * KIND_COUNT + kind;
    let member = this.#known.get(key);
    if (member === undefined) {
      member = utf8.encode(render(this.#termAt(term)));
      this.#known.set(key, member);
    }
    return member;
  }
}

function renderVulnType(value: unknown): string {
  return `${before('vulnType')}${quote(value as string)}${before('cve')}`;
}

function renderCvss(value: unknown): string {
  const [score, vector] = value as CvssTerm;
  return `${before('cvssScore')}${numberOrNull(score)}${before('cvssVector')}${textOrNull(vector)}`;
}

function renderCwe(value: unknown): string {
  const [id, name] = value as WeaknessTerm;
  return `${before('cweId')}${numberOrNull(id)}${before('cweName')}${textOrNull(name)}`;
}

function renderCapec(value: unknown): string {
  const [id, name] = value as WeaknessTerm;
  return `${before('capecId')}${numberOrNull(id)}${before('capecName')}${textOrNull(name)}${before('ghsa')}`;
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : quote(text);
}
