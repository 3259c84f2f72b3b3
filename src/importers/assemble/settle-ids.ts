// Which CVE is whose. osv.dev fills `aliases` with everything that is reachable from alias to alias, so
// records of two vulnerabilities can have the same set of ids, each with the GHSA id of the other: such
// records are contested. Their CVE ids are settled by what other records say, by the ends of their spans,
// then by dates; docs/sources.md has the rules.

import { normaliseAlias } from '../../index/lookup/alias-table.ts';
import type { DraftRecord } from '../source.ts';
import type { DraftFacts } from './draft-facts.ts';
import type { DraftStore } from './draft-store.ts';

/** Of a contested draft. Ids that are in neither set are its aliases. */
export interface SettledIds {
  readonly cves: ReadonlySet<number>;
  /** Ids of other advisories. */
  readonly foreign: ReadonlySet<number>;
}

/** By contested draft. */
export type Settlement = ReadonlyMap<number, SettledIds>;

const NOTHING: Settlement = new Map();

/** Requires: all drafts of one product. */
export function settleIds(store: DraftStore, drafts: readonly number[], facts: DraftFacts): Settlement {
  const contested = findContested(store, drafts);
  if (contested.length === 0) return NOTHING;
  const owned = new Map(contested.map((draft) => [draft, new Set<number>()]));
  const foreign = new Map(contested.map((draft) => [draft, new Set<number>()]));
  const claims = cveClaimsOf(store, drafts, owned);
  for (const claim of claims) {
    const owners = ownersOf(store, claim, facts);
    if (owners !== undefined) give(claim, owners, owned, foreign);
  }
  settleByDates(store, claims, facts, owned, foreign);
  const standing = standingGhsas(store, drafts);
  for (const draft of contested) {
    for (const id of store.namesAt(draft)) if (standing.has(id)) foreign.get(draft)?.add(id);
  }
  return new Map(
    contested.map((draft) => [
      draft,
      {
        cves: owned.get(draft) ?? new Set(),
        // A withdrawn record may say which one replaced it: the look-up of an id prefers live advisories
        // anyway.
        foreign: store.isWithdrawn(draft) ? new Set() : (foreign.get(draft) ?? new Set()),
      },
    ]),
  );
}

/**
 * The drafts whose ids may be those of another vulnerability. A live one is not contested by records that are
 * all withdrawn: they are duplicates of it.
 */
function findContested(store: DraftStore, drafts: readonly number[]): number[] {
  const closures = drafts.filter((draft) => store.isClosure(draft));
  if (closures.length === 0) return closures;
  const standing = standingGhsas(store, drafts);
  const known = new Set(drafts.map((draft) => store.ghsaAt(draft)));
  return closures.filter((draft) =>
    store
      .namesAt(draft)
      .some((id) => store.isGhsaId(id) && (store.isWithdrawn(draft) || standing.has(id) || !known.has(id))),
  );
}

function standingGhsas(store: DraftStore, drafts: readonly number[]): ReadonlySet<number> {
  const ids = drafts.flatMap((draft) => (store.isWithdrawn(draft) ? [] : (store.ghsaAt(draft) ?? [])));
  return new Set(ids);
}

/** One CVE id, and who has it. */
interface CveClaim {
  readonly cve: number;
  /** Contested drafts of one source; without the withdrawn ones if there are live ones. */
  readonly candidates: readonly number[];
  /** Withdrawn ones beside live candidates. */
  readonly others: readonly number[];
  /** Live drafts of any source that are not contested. */
  readonly witnesses: readonly number[];
  isSettled: boolean;
}

function cveClaimsOf(
  store: DraftStore,
  drafts: readonly number[],
  contested: ReadonlyMap<number, unknown>,
): CveClaim[] {
  const witnesses = new Map<number, number[]>();
  const claimants = new Map<string, { readonly cve: number; readonly drafts: number[] }>();
  for (const draft of drafts) {
    for (const cve of store.cvesAt(draft)) {
      if (contested.has(draft)) {
        const key = `${store.sourceAt(draft)} ${cve}`;
        const known = claimants.get(key);
        if (known === undefined) claimants.set(key, { cve, drafts: [draft] });
        else known.drafts.push(draft);
      } else if (!store.isWithdrawn(draft)) {
        const known = witnesses.get(cve);
        if (known === undefined) witnesses.set(cve, [draft]);
        else known.push(draft);
      }
    }
  }
  return Array.from(claimants.values(), ({ cve, drafts: all }) => {
    const live = all.filter((draft) => !store.isWithdrawn(draft));
    const candidates = live.length > 0 ? live : all;
    const others = live.length > 0 ? all.filter((draft) => store.isWithdrawn(draft)) : [];
    return { cve, candidates, others, witnesses: witnesses.get(cve) ?? [], isSettled: false };
  });
}

/**
 * Whose the CVE is by other records; empty if it is none of the candidates', undefined if they do not tell.
 */
function ownersOf(
  store: DraftStore,
  { candidates, witnesses }: CveClaim,
  facts: DraftFacts,
): readonly number[] | undefined {
  if (witnesses.length === 0) return undefined;
  const ghsas = new Set(witnesses.map((draft) => store.ghsaAt(draft)));
  const isNamed = ghsas.delete(undefined);
  const same = candidates.filter((draft) => ghsas.has(store.ghsaAt(draft)));
  if (same.length > 0) return same;
  if (ghsas.size > 0) return [];
  if (!isNamed) return undefined;
  const ends = new Set(witnesses.map((draft) => facts.endsOf(draft)));
  const equal = candidates.filter((draft) => ends.has(facts.endsOf(draft)));
  return equal.length === 1 ? equal : undefined;
}

type IdsOf = ReadonlyMap<number, Set<number>>;

function give(claim: CveClaim, owners: readonly number[], owned: IdsOf, foreign: IdsOf): void {
  const owning = new Set(owners);
  for (const draft of [...claim.candidates, ...claim.others]) {
    (owning.has(draft) ? owned : foreign).get(draft)?.add(claim.cve);
  }
  claim.isSettled = true;
}

/**
 * A CVE goes to the record that was published nearest to its year, if it is also the nearest of the CVEs that
 * the record has: GitHub gives an advisory one CVE. Equal distances settle nothing.
 */
function settleByDates(
  store: DraftStore,
  claims: readonly CveClaim[],
  facts: DraftFacts,
  owned: IdsOf,
  foreign: IdsOf,
): void {
  const nearestDraft = new Map<CveClaim, Nearest<number>>();
  const nearestClaim = new Map<number, Nearest<CveClaim>>();
  for (const claim of claims) {
    const year = Number.parseInt(store.idText(claim.cve), 10);
    if (Number.isNaN(year)) continue;
    for (const draft of claim.candidates) {
      const distance = Math.abs(new Date(facts.publishedAt(draft) * 1000).getUTCFullYear() - year);
      compete(nearestDraft, claim, draft, distance);
      compete(nearestClaim, draft, claim, distance);
    }
  }
  for (const [claim, { one: draft, isTie }] of nearestDraft) {
    const back = nearestClaim.get(draft);
    const isMutual = !isTie && back?.one === claim && !back.isTie;
    if (isMutual && !claim.isSettled && owned.get(draft)?.size === 0) give(claim, [draft], owned, foreign);
  }
}

interface Nearest<One> {
  readonly one: One;
  readonly distance: number;
  readonly isTie: boolean;
}

function compete<Key, One>(nearest: Map<Key, Nearest<One>>, key: Key, one: One, distance: number): void {
  const best = nearest.get(key);
  if (best === undefined || distance < best.distance) nearest.set(key, { one, distance, isTie: false });
  else if (distance === best.distance) nearest.set(key, { ...best, isTie: true });
}

/**
 * The record with the ids that are its own as CVE ids, the undecided ones as aliases, and without those of
 * others.
 */
export function withSettledIds(
  record: DraftRecord,
  settled: SettledIds,
  store: Pick<DraftStore, 'findId'>,
): DraftRecord {
  const { cves = [], aliases = [] } = record;
  const isAmong = (id: string, ids: ReadonlySet<number>): boolean => {
    const number = store.findId(id);
    return number !== undefined && ids.has(number);
  };
  const isOwn = (id: string): boolean => isAmong(id, settled.cves);
  const isAlias = (id: string): boolean => !isOwn(id) && !isAmong(id, settled.foreign);
  return {
    ...record,
    cves: cves.filter(isOwn),
    aliases: [...aliases.filter(isAlias), ...cves.filter(isAlias).map(withCvePrefix)],
  };
}

/** A feed may leave the prefix out of `cves`, where it goes without saying. */
function withCvePrefix(cve: string): string {
  return `CVE-${normaliseAlias(cve)}`;
}
