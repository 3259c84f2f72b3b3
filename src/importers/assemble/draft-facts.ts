// What tells drafts apart that share their ids: which versions they affect, where their spans end, and when
// they were published. Read from the stored record, so only for the few drafts whose ids leave a choice.

import { productTypeFacts } from '../../index/product-type.ts';
import { schemeFacts, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import { parseSeconds } from '../record/instant.ts';
import type { DraftRecord } from '../source.ts';

interface Facts {
  readonly versions: string;
  readonly ends: string;
  readonly published: number;
}

export class DraftFacts {
  readonly #recordAt: (draft: number) => DraftRecord;
  readonly #known = new Map<number, Facts>();

  constructor(recordAt: (draft: number) => DraftRecord) {
    this.#recordAt = recordAt;
  }

  /** Equal only if the same versions are affected, whatever the form and the order of the spans. */
  versionsOf(draft: number): string {
    return this.#factsOf(draft).versions;
  }

  /** Equal if and only if the spans have the same ends and fixes, whatever their order and lower bounds. */
  endsOf(draft: number): string {
    return this.#factsOf(draft).ends;
  }

  /** Epoch seconds. */
  publishedAt(draft: number): number {
    return this.#factsOf(draft).published;
  }

  #factsOf(draft: number): Facts {
    const known = this.#known.get(draft);
    if (known !== undefined) return known;
    const record = this.#recordAt(draft);
    const facts = { versions: versionsIn(record), ends: endsIn(record), published: publishedIn(record) };
    this.#known.set(draft, facts);
    return facts;
  }
}

function publishedIn({ disclosed_at, modified_at = '' }: DraftRecord): number {
  return parseSeconds(disclosed_at ?? modified_at) ?? Number.NaN;
}

/**
 * Ends as they are matched: unlike `endsIn`, a fix beyond the last affected version says nothing here, since
 * the versions between are not affected.
 */
function versionsIn({ affected = [], affected_versions = [], version_scheme, product }: DraftRecord): string {
  const scheme = version_scheme ?? productTypeFacts(product.type).scheme;
  const { lowest } = schemeFacts(scheme);
  const spans = affected.map(({ from_version, to_version, to_bound }) => {
    const isBounded = from_version !== null && lowest?.test(from_version) !== true;
    const start = isBounded ? comparable(from_version, scheme) : '*';
    if (to_version === null) return `${start}-*`;
    const end = comparable(to_version, scheme);
    if (to_bound === 'exclusive') return `${start}-<${end}`;
    return start === end ? `=${end}` : `${start}-=${end}`;
  });
  const exact = affected_versions.map((version) => `=${comparable(version, scheme)}`);
  return [scheme, ...new Set([...spans, ...exact].sort())].join(' ');
}

/**
 * A fix is an exclusive end: one source writes `<= 4.17.23, fixed in 4.18.0` where another has `< 4.18.0`.
 */
function endsIn({ affected = [], affected_versions = [], version_scheme, product }: DraftRecord): string {
  const scheme = version_scheme ?? productTypeFacts(product.type).scheme;
  const ends = affected.map(({ to_version, to_bound, fixed_in }) => {
    if (fixed_in !== null && fixed_in !== '') return `<${comparable(fixed_in, scheme)}`;
    if (to_version === null) return '*';
    return `${to_bound === 'exclusive' ? '<' : '='}${comparable(to_version, scheme)}`;
  });
  const exact = affected_versions.map((version) => `=${comparable(version, scheme)}`);
  return [...new Set([...ends, ...exact])].sort().join(' ');
}

/** Equal texts for equal versions; a fix need not be a version. */
function comparable(version: string, scheme: VersionScheme): string {
  const key = versionKey(scheme, version);
  return key === undefined ? JSON.stringify(version) : Buffer.from(key).toString('hex');
}
