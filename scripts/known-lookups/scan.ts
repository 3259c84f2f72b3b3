// What a lookup must answer, by reading every span of every advisory: slow, simple, and without any server
// code. Ranges are those of `matched_range`.

import { isVersion, Order, type Pair, type Scheme } from './versions.ts';

export interface Span {
  readonly from_version: string | null;
  readonly to_version: string | null;
  readonly to_bound: 'exclusive' | 'inclusive' | 'last-affected' | null;
  readonly fixed_in: string | null;
}

/** The members of a feed record on which a match depends. */
export interface Advisory {
  readonly id: number;
  readonly product: { readonly type: string; readonly slug: string };
  readonly version_scheme?: Scheme;
  readonly affected?: readonly Span[];
  readonly affected_versions?: readonly string[];
  readonly withdrawn_at?: string;
}

export interface Query {
  readonly type: string;
  readonly name: string;
  readonly version: string;
}

export interface KnownLookup {
  readonly q: Query;
  /** Ids in order, each with its matched range, which is null for `*`. Absent when the version is not one. */
  readonly expect?: readonly { readonly id: number; readonly range: Span | null }[];
  readonly invalid?: true;
}

function schemeOf({ product, version_scheme }: Advisory): Scheme {
  return product.type === 'npm' ? 'semver' : (version_scheme ?? 'wordpress');
}

/** OSV writes 0 for "from the beginning". */
function isUnbounded(scheme: Scheme, from: string | null): boolean {
  return from === null || (scheme === 'semver' && /^0(\.0){0,2}$/.test(from));
}

function spansOf({ affected = [], affected_versions = [] }: Advisory): Span[] {
  const exact = affected_versions.map((version): Span => {
    return { from_version: version, to_version: version, to_bound: 'inclusive', fixed_in: null };
  });
  return [...affected, ...exact];
}

function versionsIn(spans: readonly Span[]): string[] {
  return spans.flatMap(({ from_version, to_version, fixed_in }) =>
    [from_version, to_version, fixed_in].filter((version) => version !== null),
  );
}

function isAbout({ type, name }: Query, { product }: Advisory): boolean {
  if (type !== product.type) return false;
  return type === 'npm' ? name === product.slug : name.toLowerCase() === product.slug.toLowerCase();
}

/** Everything that can be compared in the course of `scan`. */
function* pairsOf(advisories: readonly Advisory[], queries: readonly Query[]): Iterable<Pair> {
  for (const advisory of advisories) {
    const scheme = schemeOf(advisory);
    const known = versionsIn(spansOf(advisory)).filter((version) =>
      isVersion(advisory.product.type, version),
    );
    const asked = queries
      .filter(
        (query) => isAbout(query, advisory) && query.version !== '*' && isVersion(query.type, query.version),
      )
      .map(({ version }) => version);
    for (const a of new Set([...known, ...asked])) for (const b of new Set(known)) yield [scheme, a, b];
  }
}

class Scan {
  readonly #order: Order;

  constructor(order: Order) {
    this.#order = order;
  }

  holds(scheme: Scheme, { from_version: from, to_version: to, to_bound }: Span, version: string): boolean {
    if (from !== null && !isUnbounded(scheme, from) && this.#order.compare(scheme, version, from) < 0)
      return false;
    if (to === null) return true;
    const order = this.#order.compare(scheme, version, to);
    return to_bound === 'exclusive' ? order < 0 : order <= 0;
  }

  /**
   * Of the spans that contain the version, the one with the greatest lower bound, then the least upper bound.
   */
  bestOf(scheme: Scheme, spans: readonly Span[], version: string): Span | undefined {
    const holding = spans.filter((span) => this.holds(scheme, span, version));
    return holding.toSorted(
      (a, b) => this.#compareLower(scheme, b, a) || this.#compareUpper(scheme, a, b),
    )[0];
  }

  #compareLower(scheme: Scheme, { from_version: a }: Span, { from_version: b }: Span): number {
    const [isOpen, isOtherOpen] = [isUnbounded(scheme, a), isUnbounded(scheme, b)];
    if (isOpen || isOtherOpen) return Number(isOtherOpen) - Number(isOpen);
    return this.#order.compare(scheme, a!, b!);
  }

  #compareUpper(scheme: Scheme, a: Span, b: Span): number {
    if (a.to_version === null || b.to_version === null) {
      return Number(a.to_version === null) - Number(b.to_version === null);
    }
    const order = this.#order.compare(scheme, a.to_version, b.to_version);
    return order || Number(b.to_bound === 'exclusive') - Number(a.to_bound === 'exclusive');
  }

  /** A fix that the same advisory affects is not a fix: follow it to the fix of the span that contains it. */
  fixOf(
    scheme: Scheme,
    spans: readonly Span[],
    span: Span,
    isComparable: (version: string) => boolean,
  ): string | null {
    const passed = new Set<Span>([span]);
    let fix = span.fixed_in;
    while (fix !== null && isComparable(fix)) {
      const holder = this.bestOf(scheme, spans, fix);
      if (holder === undefined) return fix;
      if (passed.has(holder)) return null;
      passed.add(holder);
      fix = holder.fixed_in;
    }
    return fix;
  }
}

export function scan(advisories: readonly Advisory[], queries: readonly Query[]): KnownLookup[] {
  const published = advisories
    .filter(({ withdrawn_at }) => withdrawn_at === undefined)
    .sort((a, b) => b.id - a.id);
  const scanner = new Scan(new Order(pairsOf(published, queries)));
  return queries.map((q): KnownLookup => {
    const { type, version } = q;
    if (version !== '*' && !isVersion(type, version)) return { q, invalid: true };
    const about = published.filter((advisory) => isAbout(q, advisory));
    if (version === '*') return { q, expect: about.map(({ id }) => ({ id, range: null })) };
    const expect = about.flatMap((advisory) => {
      const scheme = schemeOf(advisory);
      const spans = spansOf(advisory);
      const best = scanner.bestOf(scheme, spans, version);
      if (best === undefined) return [];
      const fixed_in = scanner.fixOf(scheme, spans, best, (fix) => isVersion(type, fix));
      return [{ id: advisory.id, range: { ...best, fixed_in } }];
    });
    return { q, expect };
  });
}
