// What one source says about one advisory of a product: a record, the records of several databases about one
// vulnerability, and the malware reports about it. No other records of a source are one, whatever ids they
// share: the source publishes them as two.

import type { DraftFacts } from './draft-facts.ts';
import { type DraftKeys, MAX_SHARING } from './draft-keys.ts';
import { twinsAmong } from './twins.ts';

/** Drafts of one source: never empty, in the order of `compareTwins`. */
export type Claim = readonly number[];

/** Requires: drafts of one product and one source. */
export function claimsOf(keys: DraftKeys, drafts: readonly number[], facts: DraftFacts): Claim[] {
  if (drafts.length < 2) return drafts.map((draft) => [draft]);
  const reports = drafts.filter((draft) => keys.isMalwareReport(draft));
  const others = drafts.filter((draft) => !keys.isMalwareReport(draft));
  const reportsOf = reportsBySubject(keys, reports, others, facts);
  const attached = new Set([...reportsOf.values()].flat());
  const alone = reports.filter((report) => !attached.has(report)).map((report) => [report]);
  const claims = twinsAmong(keys, others, facts).map((twins) => [
    ...twins,
    ...twins.flatMap((draft) => reportsOf.get(draft) ?? []),
  ]);
  return [...claims, ...alone].map((claim) => claim.sort((a, b) => compareTwins(keys, a, b)));
}

/** The reports about each advisory that has any. */
function reportsBySubject(
  keys: DraftKeys,
  reports: readonly number[],
  others: readonly number[],
  facts: DraftFacts,
): ReadonlyMap<number, readonly number[]> {
  const reportsOf = new Map<number, number[]>();
  if (reports.length === 0 || others.length === 0) return reportsOf;
  const advisories = others.filter((draft) => isAdvisory(keys, draft));
  const byGhsa = indexed(advisories, (draft) => [keys.ghsaAt(draft) ?? []].flat());
  const byName = indexed(advisories, (draft) => [...keys.namesAt(draft)]);
  for (const report of reports) {
    const self = keys.selfAt(report) as number; // its letters made it a report
    const named = [...keys.namesAt(report)].flatMap((id) => byGhsa.get(id) ?? []);
    const subject = subjectOf(keys, report, [...new Set([...named, ...(byName.get(self) ?? [])])], facts);
    if (subject === undefined) continue;
    const known = reportsOf.get(subject);
    if (known === undefined) reportsOf.set(subject, [report]);
    else known.push(report);
  }
  return reportsOf;
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

/** GitHub's before those of other databases, reports last, then by id: the best text comes first. */
export function compareTwins(keys: DraftKeys, a: number, b: number): number {
  const [one, other] = [keys.sourceIdText(a), keys.sourceIdText(b)];
  return (
    Number(keys.isMalwareReport(a)) - Number(keys.isMalwareReport(b)) ||
    Number(isAdvisory(keys, b)) - Number(isAdvisory(keys, a)) ||
    (one < other ? -1 : Number(one > other))
  );
}
