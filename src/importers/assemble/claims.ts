// What one source says about one advisory of a product: a record, or an advisory with the malware reports
// about it. No other records of a source are one, whatever ids they share: the source publishes them as two.

import type { DraftFacts } from './draft-facts.ts';
import type { DraftKeys } from './draft-keys.ts';

/**
 * An id that more records of one product have identifies none of them. Real ones are shared by a handful;
 * comparing every two of a hundred thousand would take for ever.
 */
export const MAX_SHARING = 32;

/** Drafts of one source: never empty, the advisory before the reports about it. */
export type Claim = readonly number[];

/** Requires: drafts of one product and one source. */
export function claimsOf(keys: DraftKeys, drafts: readonly number[], facts: DraftFacts): Claim[] {
  const reports = drafts.filter((draft) => keys.isMalwareReport(draft));
  if (reports.length === 0 || reports.length === drafts.length) return drafts.map((draft) => [draft]);
  const advisories = drafts.filter((draft) => isAdvisory(keys, draft));
  const byGhsa = indexed(advisories, (draft) => [keys.ghsaAt(draft) ?? []].flat());
  const byName = indexed(advisories, (draft) => [...keys.namesAt(draft)]);
  const reportsOf = new Map<number, number[]>();
  const attached = new Set<number>();
  for (const report of reports) {
    const self = keys.selfAt(report) as number; // its letters made it a report
    const named = [...keys.namesAt(report)].flatMap((id) => byGhsa.get(id) ?? []);
    const subject = subjectOf(keys, report, [...new Set([...named, ...(byName.get(self) ?? [])])], facts);
    if (subject === undefined) continue;
    attached.add(report);
    const known = reportsOf.get(subject);
    if (known === undefined) reportsOf.set(subject, [report]);
    else known.push(report);
  }
  return drafts
    .filter((draft) => !attached.has(draft))
    .map((draft) => [draft, ...(reportsOf.get(draft) ?? []).sort((a, b) => compareTwins(keys, a, b))]);
}

/** Published under its GHSA id. */
function isAdvisory(keys: DraftKeys, draft: number): boolean {
  const [self, ghsa] = [keys.selfAt(draft), keys.ghsaAt(draft)];
  return ghsa !== undefined && (self === undefined || self === ghsa);
}

/**
 * Which of the advisories that it names, or that name it, the report is about; undefined if that stays open.
 */
function subjectOf(
  keys: DraftKeys,
  report: number,
  named: readonly number[],
  facts: DraftFacts,
): number | undefined {
  if (named.length <= 1) return named[0];
  const isAlike = (draft: number): boolean => keys.isWithdrawn(draft) === keys.isWithdrawn(report);
  const hasSameEnds = (draft: number): boolean => facts.endsOf(draft) === facts.endsOf(report);
  const alike = orAll(named.filter(isAlike), named);
  if (alike.length === 1) return alike[0];
  const equal = orAll(alike.filter(hasSameEnds), alike);
  const distanceOf = (draft: number): number =>
    Math.abs(facts.publishedAt(draft) - facts.publishedAt(report));
  const nearest = Math.min(...equal.map(distanceOf));
  const closest = equal.filter((draft) => distanceOf(draft) === nearest);
  return closest.length === 1 ? closest[0] : undefined;
}

function orAll(some: readonly number[], all: readonly number[]): readonly number[] {
  return some.length > 0 ? some : all;
}

/** Without ids that too many have. */
function indexed(
  drafts: readonly number[],
  idsOf: (draft: number) => readonly number[],
): ReadonlyMap<number, readonly number[]> {
  const byId = new Map<number, number[]>();
  for (const draft of drafts) {
    for (const id of idsOf(draft)) {
      const known = byId.get(id);
      if (known === undefined) byId.set(id, [draft]);
      else known.push(draft);
    }
  }
  for (const [id, sharing] of byId) if (sharing.length > MAX_SHARING) byId.delete(id);
  return byId;
}

/** Advisories before reports about them, then by id: the record with the better text comes first. */
export function compareTwins(keys: DraftKeys, a: number, b: number): number {
  const [one, other] = [keys.sourceIdText(a), keys.sourceIdText(b)];
  return (
    Number(keys.isMalwareReport(a)) - Number(keys.isMalwareReport(b)) ||
    (one < other ? -1 : Number(one > other))
  );
}
