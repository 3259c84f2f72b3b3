// Which drafts of one product are one advisory: those that share an id which one of them is published under,
// the surest pairs first, unless something contradicts. The rule is applied within each source, whose records
// must say the same, and then between the sources. What is undecided stays apart. Neither the order of the
// drafts nor that of the sources matters. docs/sources.md has the rule.

import type { DraftFacts } from './draft-facts.ts';
import type { DraftStore } from './draft-store.ts';
import type { Settlement } from './settle-ids.ts';

/**
 * An id that more records of one product have identifies none of them. Real ones are shared by a handful;
 * comparing every two of a hundred thousand would take for ever.
 */
const MAX_SHARING = 32;

/** A record, or the records of one source that are one advisory. */
interface Claim {
  /** In the order of `compareDrafts`; the first one says what is affected, and when it was published. */
  readonly drafts: readonly number[];
  /** The ids that it is published under. */
  readonly own: ReadonlySet<number>;
  readonly ghsas: ReadonlySet<number>;
  readonly cves: ReadonlySet<number>;
  /** Others that it may be looked for by. */
  readonly names: ReadonlySet<number>;
  readonly isLive: boolean;
}

/** Two claims that share an id, and how sure they are one: smaller is surer, and `kind` counts first. */
interface Pair {
  readonly a: number;
  readonly b: number;
  readonly kind: number;
  readonly hasOtherEnds: number;
  readonly secondsApart: number;
}

// A kind between sources is one of these, or SHARES_CVE or NAMES plus HALF_WITHDRAWN.
const SAME_RECORD = 0; // the same id in its database, or the same GHSA id
const SHARES_CVE = 1;
const NAMES = 2; // one names the id of the other
const HALF_WITHDRAWN = 2;

const NOTHING_SETTLED: Settlement = new Map();

/** The drafts of each advisory, in no order. Requires: all drafts of one product. */
export function advisoriesOf(
  store: DraftStore,
  drafts: readonly number[],
  settled: Settlement,
  facts: DraftFacts,
): number[][] {
  const bySource = groupedBy(drafts, (draft) => [store.sourceAt(draft)]);
  const found = Array.from(bySource.values(), (ofSource) => withinSource(store, ofSource, facts)).flat();
  return bySource.size === 1 ? found : betweenSources(store, found, settled, facts);
}

/**
 * Records of several databases are one if they say the same, and a malware report joins the advisory that it
 * is about. No others are, whatever ids they share: the source publishes them as two.
 */
function withinSource(store: DraftStore, drafts: readonly number[], facts: DraftFacts): number[][] {
  if (drafts.length === 1) return [[...drafts]];
  const claims = drafts.map((draft) => claimOf(store, [draft], NOTHING_SETTLED));
  const isReport = drafts.map((draft) => store.isMalwareReport(draft));
  const areAlike = (a: number, b: number): boolean => claims[a].isLive === claims[b].isLive;
  const sayTheSame = (a: number, b: number): boolean =>
    areAlike(a, b) &&
    // A database does not publish one vulnerability twice.
    databaseOf(store, claims[a]) !== databaseOf(store, claims[b]) &&
    !areTwoGhsas(claims[a], claims[b]) &&
    areSameCves(claims[a], claims[b]) &&
    facts.versionsOf(drafts[a]) === facts.versionsOf(drafts[b]);
  const mayBeTwin = (a: number): boolean =>
    !isReport[a] && claims[a].own.size > 0 && !store.isClosure(drafts[a]);
  const ownOf = ({ own }: Claim): ReadonlySet<number> => own;
  const twins = pairsOf(claims, ownOf, (a, b) =>
    mayBeTwin(a) && mayBeTwin(b) && sayTheSame(a, b) ? 0 : undefined,
  );
  const reports = pairsOf(claims, ownOf, (a, b) => {
    if (isReport[a] === isReport[b] || !isAdvisory(store, drafts[isReport[a] ? b : a])) return undefined;
    return areAlike(a, b) ? 0 : HALF_WITHDRAWN;
  });
  // A report is about one advisory; if two are equally near, it stays open which.
  const byReport = groupedBy(
    weighed(reports, claims, () => 0, facts),
    ({ a, b }) => [isReport[a] ? a : b],
  );
  const decided = Array.from(byReport.values(), (all) => all.sort(compareSureness)).flatMap(
    ([first, second]) => (second === undefined || compareSureness(first, second) < 0 ? [first] : []),
  );
  const mayBeOne = (a: number, b: number): boolean => isReport[a] || isReport[b] || sayTheSame(a, b);
  return joined(store, claims, [...twins, ...decided], mayBeOne);
}

/**
 * Claims of different sources are one if they share an id of one of them, a CVE included, but never two that
 * name different CVEs and end at different versions: one of them says more, and the versions of the other
 * would hide it.
 */
function betweenSources(
  store: DraftStore,
  ofSources: readonly (readonly number[])[],
  settled: Settlement,
  facts: DraftFacts,
): number[][] {
  const claims = ofSources.map((drafts) => claimOf(store, drafts, settled));
  const sourceOf = (claim: number): number => store.sourceAt(claims[claim].drafts[0]);
  const endsOf = (claim: number): string => facts.endsOf(claims[claim].drafts[0]);
  const areTwo = (a: number, b: number): boolean =>
    sourceOf(a) === sourceOf(b) || areTwoGhsas(claims[a], claims[b]);
  const idsOf = ({ own, cves }: Claim): ReadonlySet<number> => new Set([...own, ...cves]);
  const pairs = pairsOf(claims, idsOf, (a, b, id) => {
    const [one, other] = [claims[a], claims[b]];
    if (areTwo(a, b)) return undefined;
    const isNamed = one.names.has(id) || other.names.has(id);
    if (!isNamed && (one.own.has(id) || other.own.has(id))) return SAME_RECORD;
    return (isNamed ? NAMES : SHARES_CVE) + (one.isLive === other.isLive ? 0 : HALF_WITHDRAWN);
  });
  const mayBeOne = (a: number, b: number): boolean =>
    !areTwo(a, b) && (areSameCves(claims[a], claims[b]) || endsOf(a) === endsOf(b));
  return joined(store, claims, weighed(pairs, claims, sourceOf, facts), mayBeOne);
}

function claimOf(store: DraftStore, of: readonly number[], settled: Settlement): Claim {
  const drafts = of.toSorted((a, b) => compareDrafts(store, a, b));
  const ghsas = new Set(drafts.flatMap((draft) => store.ghsaAt(draft) ?? []));
  const own = new Set([...drafts.flatMap((draft) => store.selfAt(draft) ?? []), ...ghsas]);
  const cves = new Set(drafts.flatMap((draft) => [...(settled.get(draft)?.cves ?? store.cvesAt(draft))]));
  const names = new Set<number>();
  for (const draft of drafts) {
    for (const id of store.namesAt(draft)) {
      // The GHSA ids that a contested record names may be those of other vulnerabilities.
      const isDoubtful = settled.has(draft) && store.isGhsaId(id);
      if (!isDoubtful && !own.has(id) && !cves.has(id)) names.add(id);
    }
  }
  return { drafts, own, ghsas, cves, names, isLive: drafts.some((draft) => !store.isWithdrawn(draft)) };
}

/** Published under its GHSA id. */
function isAdvisory(store: DraftStore, draft: number): boolean {
  const [self, ghsa] = [store.selfAt(draft), store.ghsaAt(draft)];
  return ghsa !== undefined && (self === undefined || self === ghsa);
}

/** `GHSA`, `PYSEC`: the letters that the ids of a database begin with. */
function databaseOf(store: DraftStore, { own: [first] }: { readonly own: Iterable<number> }): string {
  const text = store.idText(first);
  return text.slice(0, Math.max(0, text.indexOf('-')));
}

function areTwoGhsas({ ghsas: a }: Claim, { ghsas: b }: Claim): boolean {
  return a.size > 0 && b.size > 0 && ![...a].some((id) => b.has(id));
}

/** A claim without any leaves open which it is about. */
function areSameCves({ cves: a }: Claim, { cves: b }: Claim): boolean {
  return a.size === 0 || b.size === 0 || (a.size === b.size && [...a].every((id) => b.has(id)));
}

/** Every two claims that share an id which `idsOf` one of them has, with the surest kind of those ids. */
function pairsOf(
  claims: readonly Claim[],
  idsOf: (claim: Claim) => ReadonlySet<number>,
  kindOf: (a: number, b: number, id: number) => number | undefined,
): Pair[] {
  const owners = groupedBy(claims.keys(), (claim) => idsOf(claims[claim]));
  const namers = groupedBy(claims.keys(), (claim) => claims[claim].names);
  const pairs = new Map<number, Pair>();
  for (const [id, having] of owners) {
    const sharing = [...having, ...(namers.get(id) ?? [])];
    if (sharing.length > MAX_SHARING) continue;
    having.forEach((one, at) => {
      for (const other of sharing.slice(at + 1)) {
        const [a, b] = one < other ? [one, other] : [other, one];
        const kind = kindOf(a, b, id);
        const known = pairs.get(a * claims.length + b);
        if (kind === undefined || (known !== undefined && known.kind <= kind)) continue;
        pairs.set(a * claims.length + b, { a, b, kind, hasOtherEnds: 0, secondsApart: 0 });
      }
    });
  }
  return [...pairs.values()];
}

function groupedBy<Item, Key>(
  items: Iterable<Item>,
  keysOf: (item: Item) => Iterable<Key>,
): Map<Key, Item[]> {
  const byKey = new Map<Key, Item[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [item]);
      else known.push(item);
    }
  }
  return byKey;
}

/** With spans and dates, for which records must be read, if a claim has a choice in a source. */
function weighed(
  pairs: readonly Pair[],
  claims: readonly Claim[],
  sourceOf: (claim: number) => number,
  facts: DraftFacts,
): readonly Pair[] {
  const ends = pairs.flatMap(({ a, b }) => [`${a} ${sourceOf(b)}`, `${b} ${sourceOf(a)}`]);
  if (new Set(ends).size === ends.length) return pairs;
  return pairs.map((pair) => {
    const [[one], [other]] = [claims[pair.a].drafts, claims[pair.b].drafts];
    const hasOtherEnds = Number(facts.endsOf(one) !== facts.endsOf(other));
    const secondsApart = Math.abs(facts.publishedAt(one) - facts.publishedAt(other));
    return { ...pair, hasOtherEnds, secondsApart: Number.isNaN(secondsApart) ? Infinity : secondsApart };
  });
}

function compareSureness(a: Pair, b: Pair): number {
  if (a.kind !== b.kind) return a.kind - b.kind;
  if (a.hasOtherEnds !== b.hasOtherEnds) return a.hasOtherEnds - b.hasOtherEnds;
  return a.secondsApart < b.secondsApart ? -1 : Number(a.secondsApart > b.secondsApart);
}

/**
 * The drafts of each advisory: claims joined by pairs, the surest first. Of equally sure ones that exclude
 * each other none counts. No two become one that `mayBeOne` rejects, not even through a third.
 */
function joined(
  store: DraftStore,
  claims: readonly Claim[],
  pairs: readonly Pair[],
  mayBeOne: (a: number, b: number) => boolean,
): number[][] {
  const groupOf = Array.from(claims.keys(), (claim) => [claim]);
  const canJoin = (a: number, b: number): boolean =>
    groupOf[a] !== groupOf[b] && groupOf[a].every((one) => groupOf[b].every((other) => mayBeOne(one, other)));
  const textOf = ({ a, b }: Pair): string =>
    [a, b]
      .map((claim) => store.sourceIdText(claims[claim].drafts[0]))
      .sort()
      .join('\0');
  const sorted = pairs.toSorted(compareSureness);
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && compareSureness(sorted[start], sorted[end]) === 0) end++;
    const possible = sorted.slice(start, end).filter(({ a, b }) => canJoin(a, b));
    const pairsAt = groupedBy(possible, ({ a, b }) => [groupOf[a], groupOf[b]]);
    const hasRival = (one: number, chosen: number): boolean =>
      (pairsAt.get(groupOf[one]) ?? []).some(({ a, b }) => {
        const other = groupOf[a] === groupOf[one] ? b : a;
        return groupOf[other] !== groupOf[chosen] && !canJoin(other, chosen);
      });
    const decided = possible.filter(({ a, b }) => !hasRival(a, b) && !hasRival(b, a));
    // Pairs over several claims can still exclude each other; their ids then decide, as good as anything.
    decided.sort((a, b) => (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b))));
    for (const { a, b } of decided) {
      if (!canJoin(a, b)) continue;
      const all = [...groupOf[a], ...groupOf[b]];
      for (const claim of all) groupOf[claim] = all;
    }
  }
  return Array.from(new Set(groupOf), (group) => group.flatMap((claim) => claims[claim].drafts));
}

/** GitHub's before those of other databases, reports last, then by id: the best text comes first. */
export function compareDrafts(store: DraftStore, a: number, b: number): number {
  const [one, other] = [store.sourceIdText(a), store.sourceIdText(b)];
  return (
    Number(store.isMalwareReport(a)) - Number(store.isMalwareReport(b)) ||
    Number(isAdvisory(store, b)) - Number(isAdvisory(store, a)) ||
    (one < other ? -1 : Number(one > other))
  );
}
