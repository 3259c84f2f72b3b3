// Which advisories of different sources are one. Every pair that shares an id which is its own is an edge;
// the surest come first, and no advisory gets two of one source, two GHSA ids, or records that name different
// CVEs and end at different versions: one of them says more, and the versions of one source would hide it. Of
// equal edges that exclude each other none counts: what is undecided stays apart. No step depends on an order
// of claims.

import type { Claim } from './claims.ts';
import type { DraftFacts } from './draft-facts.ts';
import { type DraftKeys, MAX_SHARING } from './draft-keys.ts';
import type { Settlement } from './settle-ids.ts';
import { areSameCves } from './twins.ts';

/** How sure an edge is; smaller is surer, and earlier members count for more. */
interface Sureness {
  readonly kind: number;
  readonly hasOtherEnds: number;
  readonly secondsApart: number;
}

// A kind is one of these, or SHARES_CVE or NAMES plus HALF_WITHDRAWN.
const SAME_RECORD = 0; // the same id in its database, or the same GHSA id
const SHARES_CVE = 1;
const NAMES = 2; // one names the id of the other
const HALF_WITHDRAWN = 2;

interface Edge extends Sureness {
  readonly a: number;
  readonly b: number;
}

interface Ids {
  /** What it is published as. */
  readonly record: ReadonlySet<number>;
  readonly cves: ReadonlySet<number>;
  /** Others that it may be looked for by. */
  readonly names: ReadonlySet<number>;
  readonly ghsas: ReadonlySet<number>;
}

/** The claims of each advisory. Requires: all claims of one product. */
export function pairClaims(
  keys: DraftKeys,
  claims: readonly Claim[],
  settled: Settlement,
  facts: DraftFacts,
): Claim[][] {
  const sources = claims.map(([draft]) => keys.sourceAt(draft));
  const isOneSource = sources.every((source) => source === sources[0]);
  if (isOneSource) return claims.map((claim) => [claim]);
  const ids = claims.map((claim) => idsOf(keys, claim, settled));
  const kinds = kindsOf(keys, claims, ids, sources);
  const edges = edgesOf(kinds, claims, sources, facts);
  const agree = (a: number, b: number): boolean =>
    areSameCves(ids[a].cves, ids[b].cves) || facts.endsOf(claims[a][0]) === facts.endsOf(claims[b][0]);
  const clusters = new Clusters(
    sources,
    ids.map(({ ghsas }) => ghsas),
    agree,
  );
  const nameOf = claims.map((claim) => keys.sourceIdText(claim[0]));
  edges.sort(compareSureness);
  for (let start = 0; start < edges.length; ) {
    let end = start + 1;
    while (end < edges.length && compareSureness(edges[start], edges[end]) === 0) end++;
    joinEqual(edges.slice(start, end), clusters, nameOf);
    start = end;
  }
  return clusters.groups().map((members) => members.map((claim) => claims[claim]));
}

function idsOf(keys: DraftKeys, claim: Claim, settled: Settlement): Ids {
  const record = new Set<number>();
  const cves = new Set<number>();
  const names = new Set<number>();
  const ghsas = new Set<number>();
  for (const draft of claim) {
    const [self, ghsa] = [keys.selfAt(draft), keys.ghsaAt(draft)];
    if (self !== undefined) record.add(self);
    if (ghsa !== undefined) {
      record.add(ghsa);
      ghsas.add(ghsa);
    }
    const own = settled.get(draft);
    for (const cve of own?.cves ?? keys.cvesAt(draft)) cves.add(cve);
    // The GHSA ids that a contested record names may be those of other vulnerabilities.
    for (const id of keys.namesAt(draft)) if (own === undefined || !keys.isGhsaId(id)) names.add(id);
  }
  return { record, cves, names, ghsas };
}

/** By pair of claims, as `a * claims + b` with a < b: the surest kind of link between them. */
function kindsOf(
  keys: DraftKeys,
  claims: readonly Claim[],
  ids: readonly Ids[],
  sources: readonly number[],
): Map<number, number> {
  const owners = new Map<number, number[]>();
  const namers = new Map<number, number[]>();
  const enter = (index: Map<number, number[]>, id: number, claim: number): void => {
    const known = index.get(id);
    if (known === undefined) index.set(id, [claim]);
    else known.push(claim);
  };
  ids.forEach(({ record, cves, names }, claim) => {
    for (const id of new Set([...record, ...cves])) enter(owners, id, claim);
    for (const id of names) if (!record.has(id) && !cves.has(id)) enter(namers, id, claim);
  });
  const isLive = claims.map((claim) => claim.some((draft) => !keys.isWithdrawn(draft)));
  const kinds = new Map<number, number>();
  const link = (a: number, b: number, kind: number): void => {
    if (sources[a] === sources[b] || areTwoGhsas(ids[a].ghsas, ids[b].ghsas)) return;
    const exact = kind === SAME_RECORD || isLive[a] === isLive[b] ? kind : kind + HALF_WITHDRAWN;
    const pair = Math.min(a, b) * claims.length + Math.max(a, b);
    const known = kinds.get(pair);
    if (known === undefined || exact < known) kinds.set(pair, exact);
  };
  for (const [id, having] of owners) {
    const naming = namers.get(id) ?? [];
    if (having.length + naming.length > MAX_SHARING) continue;
    having.forEach((a, at) => {
      for (const b of having.slice(at + 1)) {
        link(a, b, ids[a].record.has(id) || ids[b].record.has(id) ? SAME_RECORD : SHARES_CVE);
      }
      for (const b of naming) link(a, b, NAMES);
    });
  }
  return kinds;
}

function areTwoGhsas(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size > 0 && b.size > 0 && ![...a].some((id) => b.has(id));
}

function edgesOf(
  kinds: ReadonlyMap<number, number>,
  claims: readonly Claim[],
  sources: readonly number[],
  facts: DraftFacts,
): Edge[] {
  const pairs = Array.from(kinds, ([pair, kind]) => {
    const b = pair % claims.length;
    return { a: (pair - b) / claims.length, b, kind };
  });
  // Spans and dates are compared only if a claim has a choice in another source, as records must be read for
  // them.
  const partners = new Set<string>();
  const hasChoice = pairs.some(({ a, b }) => {
    const [one, other] = [`${a} ${sources[b]}`, `${b} ${sources[a]}`];
    const isSecond = partners.has(one) || partners.has(other);
    partners.add(one).add(other);
    return isSecond;
  });
  if (!hasChoice) return pairs.map((pair) => ({ ...pair, hasOtherEnds: 0, secondsApart: 0 }));
  return pairs.map(({ a, b, kind }) => {
    const [[one], [other]] = [claims[a], claims[b]]; // the advisory, not the reports about it
    const secondsApart = Math.abs(facts.publishedAt(one) - facts.publishedAt(other));
    const hasOtherEnds = Number(facts.endsOf(one) !== facts.endsOf(other));
    return { a, b, kind, hasOtherEnds, secondsApart: Number.isNaN(secondsApart) ? Infinity : secondsApart };
  });
}

function compareSureness(a: Sureness, b: Sureness): number {
  if (a.kind !== b.kind) return a.kind - b.kind;
  if (a.hasOtherEnds !== b.hasOtherEnds) return a.hasOtherEnds - b.hasOtherEnds;
  return a.secondsApart < b.secondsApart ? -1 : Number(a.secondsApart > b.secondsApart);
}

/** Joins along edges of the same sureness, but for those between which nothing decides. */
function joinEqual(edges: readonly Edge[], clusters: Clusters, nameOf: readonly string[]): void {
  const possible = edges.filter(({ a, b }) => clusters.canJoin(a, b));
  const partners = new Map<number, number[]>();
  for (const { a, b } of possible) {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ]) {
      const root = clusters.rootOf(one);
      const known = partners.get(root);
      if (known === undefined) partners.set(root, [other]);
      else known.push(other);
    }
  }
  const hasRival = (one: number, chosen: number): boolean =>
    (partners.get(clusters.rootOf(one)) ?? []).some(
      (other) => clusters.rootOf(other) !== clusters.rootOf(chosen) && !clusters.canJoin(other, chosen),
    );
  const decided = possible.filter(({ a, b }) => !hasRival(a, b) && !hasRival(b, a));
  const textOf = ({ a, b }: Edge): string => [nameOf[a], nameOf[b]].sort().join('\0');
  // Links over several sources can still exclude each other; their ids then decide, as good as anything.
  decided.sort((a, b) => (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b))));
  for (const { a, b } of decided) if (clusters.canJoin(a, b)) clusters.join(a, b);
}

/** Claims that are one advisory so far. */
class Clusters {
  readonly #parents: number[];
  readonly #sources: Set<number>[];
  readonly #ghsas: Set<number>[];
  readonly #members: number[][];
  readonly #agree: (a: number, b: number) => boolean;

  constructor(
    sources: readonly number[],
    ghsas: readonly ReadonlySet<number>[],
    agree: (a: number, b: number) => boolean,
  ) {
    this.#agree = agree;
    this.#members = sources.map((_, claim) => [claim]);
    this.#parents = sources.map((_, claim) => claim);
    this.#sources = sources.map((source) => new Set([source]));
    this.#ghsas = ghsas.map((ids) => new Set(ids));
  }

  rootOf(claim: number): number {
    let root = claim;
    while (this.#parents[root] !== root) root = this.#parents[root];
    this.#parents[claim] = root;
    return root;
  }

  /** Whether they are two, and may become one. */
  canJoin(a: number, b: number): boolean {
    const [one, other] = [this.rootOf(a), this.rootOf(b)];
    if (one === other || areTwoGhsas(this.#ghsas[one], this.#ghsas[other])) return false;
    if ([...this.#sources[one]].some((source) => this.#sources[other].has(source))) return false;
    return this.#members[one].every((mine) =>
      this.#members[other].every((theirs) => this.#agree(mine, theirs)),
    );
  }

  join(a: number, b: number): void {
    const [one, other] = [this.rootOf(a), this.rootOf(b)];
    this.#parents[other] = one;
    this.#members[one].push(...this.#members[other]);
    for (const source of this.#sources[other]) this.#sources[one].add(source);
    for (const ghsa of this.#ghsas[other]) this.#ghsas[one].add(ghsa);
  }

  groups(): number[][] {
    const byRoot = new Map<number, number[]>();
    this.#parents.forEach((_, claim) => {
      const root = this.rootOf(claim);
      const known = byRoot.get(root);
      if (known === undefined) byRoot.set(root, [claim]);
      else known.push(claim);
    });
    return [...byRoot.values()];
  }
}
