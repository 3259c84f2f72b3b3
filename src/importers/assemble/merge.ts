// Several records of one advisory to one record: a field comes whole from the most preferred record that has
// it, lists of ids, references and sources are united, and each source is told which fields it won. Withdrawn
// records come last.

import { normaliseAlias } from '../../index/lookup/alias-table.ts';
import { isGhsa, isMalwareReport } from '../record/advisory-id.ts';
import { UNSPECIFIED } from '../record/defaults.ts';
import { FEED_RECORD, type FeedRecord, type FeedSource } from '../record/feed-schema.ts';
import type { DraftRecord, MalwareReport } from '../source.ts';
import type { FieldName, MalwareRule, Preference } from './preference.ts';

export interface Member {
  readonly source: number;
  readonly record: DraftRecord;
  readonly report?: MalwareReport | undefined;
}

/**
 * What became of malware reports whose advisory is withdrawn: withdrawn with it, or limited to the versions
 * that they list.
 */
type Outlived = 'withdrawn' | 'limited';

interface Merged {
  readonly record: DraftRecord;
  /** What could not be kept, and why: whole sentences without a place. */
  readonly warnings: readonly string[];
  /** Undefined unless a live malware report stands beside the withdrawn advisory that it is about. */
  readonly outlived: Outlived | undefined;
}

type Mutable<T> = { -readonly [Key in keyof T]?: T[Key] };
/** Which members a field came from. */
type Winners = Map<FieldName, ReadonlySet<Member>>;

/** Decided by rules of their own; every other field goes to the first record that has a value. */
const SPECIAL: ReadonlySet<string> = new Set<FieldName>([
  'product',
  'withdrawn_at',
  'affected',
  'affected_versions',
  'version_scheme',
  'cves',
  'aliases',
  'references',
  'sources',
]);
const PLAIN = Object.keys(FEED_RECORD.properties ?? {}).filter((name) => !SPECIAL.has(name)) as FieldName[];
/** Numbers identify; no source is credited with them. */
const UNCREDITED: ReadonlySet<string> = new Set<FieldName>(['id', 'psid', 'created_at']);
const AFFECTED = ['affected', 'affected_versions', 'version_scheme'] as const;

/**
 * `names` are those of the sources. Requires: members of one product, those of one source next to each other,
 * the most preferred first.
 */
export function mergeRecords(
  members: readonly [Member, ...Member[]],
  preference: Preference,
  names: readonly string[],
): Merged {
  const [first] = members;
  if (members.length === 1) return { record: first.record, warnings: [], outlived: undefined };
  const record: Mutable<DraftRecord> = {};
  const winners: Winners = new Map();
  const { deciding, others, outlived } = decidingMembers(members, preference.malware);
  const inOrderFor = (field: FieldName, some: readonly Member[] = deciding): readonly Member[] =>
    ordered(some, preference.fields.get(field));
  const all = [...deciding, ...others];
  for (const field of PLAIN) {
    const candidates = [...inOrderFor(field), ...inOrderFor(field, others)].filter(
      (member) => member.record[field as keyof DraftRecord] !== undefined,
    );
    if (candidates.length === 0) continue;
    const winner =
      candidates.find(({ record }) => hasValue(record[field as keyof DraftRecord])) ?? candidates[0];
    Object.assign(record, { [field]: winner.record[field as keyof DraftRecord] });
    winners.set(field, new Set([winner]));
  }
  mergeProduct(record, inOrderFor('product'), winners);
  mergeWithdrawal(record, inOrderFor('withdrawn_at'), winners);
  const warnings = mergeAffected(record, inOrderFor('affected'), winners);
  uniteIds(record, all, winners);
  uniteReferences(record, all, winners);
  record.sources = uniteSources(all, winners, names);
  return { record: record as DraftRecord, warnings, outlived }; // the first member has every required field
}

/**
 * Live ones, if there are any, say what the advisory is; the others add to its lists, and what those leave
 * open.
 */
function decidingMembers(
  members: readonly Member[],
  rule: MalwareRule,
): {
  readonly deciding: readonly Member[];
  readonly others: readonly Member[];
  readonly outlived: Outlived | undefined;
} {
  const live = members.filter(({ record }) => record.withdrawn_at === undefined);
  if (live.length === 0) return { deciding: members, others: [], outlived: undefined };
  const withdrawn = members.filter(({ record }) => record.withdrawn_at !== undefined);
  const subjects = new Set(
    withdrawn
      .flatMap(({ record: { source_id = '', ghsa = '' } }) => [source_id, ghsa].map(normaliseAlias))
      .filter(isGhsa),
  );
  const isOutlived = subjects.size > 0 && live.every(isReport);
  if (!isOutlived || rule === 'stays') return { deciding: live, others: withdrawn, outlived: undefined };
  const restsOnSubjects = ({ report }: Member): boolean =>
    report !== undefined &&
    report.origins.length > 0 &&
    report.origins.every((id) => subjects.has(normaliseAlias(id)));
  const kept = rule === 'falls' ? [] : live.filter((member) => !restsOnSubjects(member));
  const fallen = live.filter((member) => !kept.includes(member));
  if (kept.length === 0) return { deciding: withdrawn, others: fallen, outlived: 'withdrawn' };
  return { deciding: kept.map(limited), others: [...withdrawn, ...fallen], outlived: 'limited' };
}

function isReport({ record }: Member): boolean {
  return isMalwareReport(normaliseAlias(record.source_id ?? ''));
}

/**
 * To the versions that the report lists, if it lists any: what it says of all others came from the withdrawn
 * advisory.
 */
function limited(member: Member): Member {
  const { record, report } = member;
  const listed = report?.listed ?? record.affected_versions ?? [];
  return listed.length === 0
    ? member
    : { ...member, record: { ...record, affected: [], affected_versions: listed } };
}

/** Stable: members of one source keep their order. */
function ordered(members: readonly Member[], order: readonly number[] | undefined): readonly Member[] {
  if (order === undefined) return members;
  return members.toSorted((a, b) => order.indexOf(a.source) - order.indexOf(b.source));
}

/** An empty text, null, an object of which every member is null, and a stand-in, say nothing. */
function hasValue(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === UNSPECIFIED) return false;
  if (typeof value !== 'object') return true;
  return Object.values(value).some((inner) => inner !== null && inner !== '');
}

function mergeProduct(record: Mutable<DraftRecord>, members: readonly Member[], winners: Winners): void {
  const [first] = members;
  // Sources that only know the slug give it as the name too.
  const named = members.find(({ record: { product } }) => product.name !== product.slug) ?? first;
  const { name } = named.record.product;
  record.product = { ...first.record.product, name };
  winners.set('product', new Set([first]));
}

/** Requires: members that are all withdrawn, or all live. */
function mergeWithdrawal(record: Mutable<DraftRecord>, members: readonly Member[], winners: Winners): void {
  const [
    {
      record: { withdrawn_at },
    },
  ] = members;
  if (withdrawn_at === undefined) return;
  record.withdrawn_at = withdrawn_at;
  winners.set('withdrawn_at', new Set([members[0]]));
}

/**
 * From the first source alone. Malware reports add up, as each affects what it names; other records of one
 * advisory affect the same versions, perhaps written otherwise.
 */
function mergeAffected(record: Mutable<DraftRecord>, members: readonly Member[], winners: Winners): string[] {
  const [first, ...others] = ofFirstSource(members);
  const warnings: string[] = [];
  const fitting = others.filter(isReport).filter((member) => {
    if (member.record.version_scheme === first.record.version_scheme) return true;
    warnings.push(
      `affected: that of ${nameOf(member)} was left out, as ${nameOf(first)} orders versions by another scheme`,
    );
    return false;
  });
  const all = [first, ...fitting];
  const affected = distinct(all.flatMap((member) => member.record.affected ?? []));
  const versions = distinct(all.flatMap((member) => member.record.affected_versions ?? []));
  if (affected.length > 0) record.affected = affected;
  if (versions.length > 0) record.affected_versions = versions;
  if (first.record.version_scheme !== undefined) record.version_scheme = first.record.version_scheme;
  for (const field of AFFECTED) if (record[field] !== undefined) winners.set(field, new Set(all));
  return warnings;
}

function ofFirstSource(members: readonly Member[]): readonly Member[] {
  return members.filter((member) => member.source === members[0].source);
}

function nameOf({ record }: Member): string {
  return record.source_id ?? record.url;
}

/**
 * Every id of every record stays an id of the advisory: in the field it came from, or else among the aliases.
 */
function uniteIds(record: Mutable<DraftRecord>, members: readonly Member[], winners: Winners): void {
  const cves = united(members, 'cves', winners, ({ cves = [] }) => cves);
  if (cves.length > 0) record.cves = cves;
  const known = new Set([...cves, record.ghsa ?? '', record.source_id ?? '', ''].map(normaliseAlias));
  const aliases = united(members, 'aliases', winners, (each) =>
    [...(each.aliases ?? []), each.source_id ?? '', each.ghsa ?? ''].filter(
      (id) => !known.has(normaliseAlias(id)),
    ),
  );
  if (aliases.length > 0) record.aliases = aliases;
}

function uniteReferences(record: Mutable<DraftRecord>, members: readonly Member[], winners: Winners): void {
  const byUrl = new Map<string, NonNullable<FeedRecord['references']>[number]>();
  const contributors = new Set<Member>();
  for (const member of members) {
    for (const reference of member.record.references ?? []) {
      if (byUrl.has(reference.url)) continue;
      byUrl.set(reference.url, reference);
      contributors.add(member);
    }
  }
  if (byUrl.size === 0) return;
  record.references = [...byUrl.values()];
  winners.set('references', contributors);
}

/**
 * The ids of all members in their order, each once whatever its case; credits who was the first to have one.
 */
function united(
  members: readonly Member[],
  field: FieldName,
  winners: Winners,
  idsOf: (record: DraftRecord) => readonly string[],
): string[] {
  const ids = new Map<string, string>();
  const contributors = new Set<Member>();
  for (const member of members) {
    for (const id of idsOf(member.record)) {
      const key = normaliseAlias(id);
      if (ids.has(key)) continue;
      ids.set(key, id);
      contributors.add(member);
    }
  }
  if (ids.size > 0) winners.set(field, contributors);
  return [...ids.values()];
}

/**
 * Each source's entries with the fields that it won. A record that names no source is listed under its name
 * in this run.
 */
function uniteSources(
  members: readonly Member[],
  winners: Winners,
  names: readonly string[],
): readonly FeedSource[] {
  const entries = new Map<string, { readonly source: FeedSource; readonly fields: Set<FieldName> }>();
  for (const member of members) {
    const { sources = [] } = member.record;
    for (const { fields: _, ...source } of sources.length > 0 ? sources : [{ name: names[member.source] }]) {
      const key = JSON.stringify(source, ['name', 'notice', 'license', 'license_url']);
      const entry = entries.get(key) ?? { source, fields: new Set() };
      entries.set(key, entry);
      for (const [field, won] of winners) {
        if (won.has(member) && !UNCREDITED.has(field)) entry.fields.add(field);
      }
    }
  }
  return [...entries.values()].map(({ source, fields }) => ({ ...source, fields: [...fields].sort() }));
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
