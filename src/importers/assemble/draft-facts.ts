// What tells drafts apart that share their ids: where their spans end, and when they were published. Read
// from the stored record, so only for the few drafts whose ids leave a choice.

import { productTypeFacts } from '../../index/product-type.ts';
import { type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import { parseSeconds } from '../record/instant.ts';
import type { DraftRecord } from '../source.ts';

interface Facts {
  readonly ends: string;
  readonly published: number;
}

export class DraftFacts {
  readonly #recordAt: (draft: number) => DraftRecord;
  readonly #known = new Map<number, Facts>();

  constructor(recordAt: (draft: number) => DraftRecord) {
    this.#recordAt = recordAt;
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
    const facts = { ends: endsIn(record), published: publishedIn(record) };
    this.#known.set(draft, facts);
    return facts;
  }
}

function publishedIn({ disclosed_at, modified_at = '' }: DraftRecord): number {
  return parseSeconds(disclosed_at ?? modified_at) ?? Number.NaN;
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
