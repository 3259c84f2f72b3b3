// One OSV record to drafts: one for each product that it names. Owns which packages are read and what a draft
// says; what versions are affected is affected.ts's, and the general check of records that of ../record/.

import { printable } from '../../index/memory/text-limits.ts';
import { PLATFORM_TABLE, type ProductType, productTypeFacts } from '../../index/product-type.ts';
import { isMalwareReport } from '../record/advisory-id.ts';
import type { FieldProblem } from '../record/feed-schema.ts';
import { isObject } from '../record/json.ts';
import { patchPriority } from '../record/patch-priority.ts';
import { hasRepeatedName } from '../record/repeated-names.ts';
import type { DraftRecord, MalwareReport, Place, SourceEntry } from '../source.ts';
import { affectedVersions } from './affected.ts';
import { firstLine, firstParagraph } from './description.ts';
import { specificOf } from './ecosystem-specific.ts';
import { identityOf } from './identity.ts';
import { type ConvertOptions, informationalWord, NOT_INFORMATIONAL } from './informational.ts';
import { type OsvAffected, type OsvRecord, readOsvRecord } from './osv-record.ts';
import { productOf } from './packages.ts';
import { creditsOf, referencesOf } from './people-and-pages.ts';
import { cvssOf, cweNumbers, ratingOf, severityWord, weaknessOf } from './ratings.ts';

/** Some records have Go's zero time, of the year 1, for a time that nobody set. */
const FIRST_PUBLISHED = '1980';
const EMBEDDED_MALICIOUS_CODE = 506;
/** Published records name some hundred at most; each becomes a copy of the record's text. */
const MAX_PACKAGES = 5000;
/** Of one entry; a broken list of versions can have a hundred thousand. */
const MAX_PROBLEMS = 50;
const decoder = new TextDecoder('utf-8', { fatal: true }); // drops a byte order mark

/** What one file holds: an entry for each product, or one that says why there is none. */
export function convertFile(
  place: Place,
  bytes: Uint8Array,
  options = NOT_INFORMATIONAL,
): readonly SourceEntry[] {
  let copy: Uint8Array | undefined; // one for all rejects: there can be one for each package
  const rejected = (problems: readonly FieldProblem[]): SourceEntry => {
    copy ??= new Uint8Array(bytes);
    return { kind: 'reject', reject: { place, bytes: copy, problems: firstOf(problems) } };
  };
  const problems: FieldProblem[] = [];
  const text = decode(bytes, problems);
  const record = text === undefined ? undefined : parse(text, problems);
  return record === undefined ? [rejected(problems)] : convertRecord(record, place, options, rejected);
}

function decode(bytes: Uint8Array, problems: FieldProblem[]): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    problems.push({ field: 'file', message: 'is not valid UTF-8' });
    return undefined;
  }
}

function parse(text: string, problems: FieldProblem[]): OsvRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    problems.push({ field: 'file', message: `is not valid JSON (${printable((error as Error).message)})` });
    return undefined;
  }
  if (hasRepeatedName(text, value)) {
    problems.push({ field: 'record', message: 'has an object with the same name twice' });
    return undefined;
  }
  return readOsvRecord(value, problems);
}

function firstOf(problems: readonly FieldProblem[]): readonly FieldProblem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const message = `has ${problems.length - MAX_PROBLEMS} more problems, which are not listed`;
  return [...problems.slice(0, MAX_PROBLEMS), { field: 'record', message }];
}

interface Product {
  readonly type: ProductType;
  readonly slug: string;
  readonly name: string;
  readonly affected: OsvAffected[];
}

function convertRecord(
  record: OsvRecord,
  place: Place,
  { informational }: ConvertOptions,
  rejected: (problems: readonly FieldProblem[]) => SourceEntry,
): SourceEntry[] {
  const skipped = (reason: string): SourceEntry => ({ kind: 'skipped', place, reason });
  const products = new Map<string, Product>();
  const others = new Map<string, SourceEntry>();
  for (const affected of record.affected) {
    if (affected.package === undefined) continue;
    const { ecosystem, name } = affected.package;
    const found = productOf(ecosystem, name);
    if (found.kind === 'product') {
      const key = `${found.type} ${found.slug}`;
      const product = products.get(key);
      if (product !== undefined) product.affected.push(affected);
      else {
        products.set(key, { type: found.type, slug: found.slug, name: found.name, affected: [affected] });
      }
    } else {
      const key = `${ecosystem} ${name}`;
      const message = found.kind === 'unclear' ? found.message : '';
      const field = `${affected.field}.package.name`;
      const other =
        found.kind === 'foreign' ? skipped(`ecosystem ${found.ecosystem}`) : rejected([{ field, message }]);
      if (!others.has(key)) others.set(key, other);
    }
  }
  const count = products.size + others.size;
  if (count === 0) return [skipped('no package')];
  if (count > MAX_PACKAGES) {
    return [
      rejected([{ field: 'affected', message: `names ${count} packages; the limit is ${MAX_PACKAGES}` }]),
    ];
  }
  if (products.size === 0) return [...others.values()];
  const draftOf = drafting(record);
  const entries = [...products.values()].map((product): SourceEntry => {
    const word = informationalWord(
      ...product.affected.map((entry) => entry.databaseSpecific),
      record.databaseSpecific,
    );
    if (word !== undefined && informational === 'skip') return skipped(`informational: ${printable(word)}`);
    const facts = productTypeFacts(product.type);
    const versions = affectedVersions(product.affected, facts);
    if (versions.spans.length === 0 && versions.exact.length === 0) {
      const isOnlyCommits = versions.hasCommits && versions.problems.length === 0;
      return isOnlyCommits ? skipped('only ranges of commits') : rejected(versions.problems);
    }
    const { draft, problems } = draftOf(product, versions.spans, versions.exact);
    return {
      kind: 'draft',
      draft: { place, sourceId: record.id, record: draft, report: reportOf(record, versions.listed) },
      warnings: firstOf([...versions.problems, ...problems]).map(
        ({ field, message }) => `${field}: ${message}`,
      ),
    };
  });
  return [...entries, ...others.values()];
}

/** What a malware report rests on; undefined for other records. */
function reportOf({ id, databaseSpecific }: OsvRecord, listed: readonly string[]): MalwareReport | undefined {
  if (!isMalwareReport(id)) return undefined;
  const origins = databaseSpecific['malicious-packages-origins'];
  const ids = Array.isArray(origins)
    ? origins.map((origin: unknown) => (isObject(origin) ? origin.id : ''))
    : [];
  return { origins: ids.map((origin) => (typeof origin === 'string' ? origin : '')), listed };
}

type Mutable<T> = { -readonly [Key in keyof T]?: T[Key] };

interface Drafted {
  readonly draft: DraftRecord;
  readonly problems: readonly FieldProblem[];
}

/** What the record says of all its products is worked out once. */
function drafting(
  record: OsvRecord,
): (product: Product, affected: NonNullable<DraftRecord['affected']>, exact: readonly string[]) => Drafted {
  const problems: FieldProblem[] = [];
  const identity = identityOf(record.id, record.aliases);
  const { databaseSpecific } = record;
  const rating = cvssOf(record.severity, 'severity', problems);
  const references = referencesOf(record.references, problems);
  const { credit, submitter } = creditsOf(record.credits, problems);
  const title = record.summary.trim() || firstLine(record.details);
  const description = firstParagraph(record.details);
  const isDated = record.published !== undefined && record.published >= FIRST_PUBLISHED;
  if (record.published !== undefined && !isDated) {
    const got = JSON.stringify(record.published);
    problems.push({
      field: 'published',
      message: `${got} is before ${FIRST_PUBLISHED}, so it counts as unknown`,
    });
  }
  const hasOrigins = databaseSpecific['malicious-packages-origins'] !== undefined;

  return ({ type, slug, name, affected: entries }, affected, exact) => {
    const own: FieldProblem[] = [];
    const specific = entries.map((entry) => entry.databaseSpecific);
    const numbers = cweNumbers(databaseSpecific, ...specific);
    const isMalware = identity.isMaliciousPackage || hasOrigins || numbers.includes(EMBEDDED_MALICIOUS_CODE);
    const informs = informationalWord(...specific, databaseSpecific) !== undefined;
    const kind = isMalware ? 'malware' : informs ? 'informational' : undefined;
    const weakness = weaknessOf(isMalware ? numbers.toSorted(maliciousCodeFirst) : numbers);
    const severity = severityWord(...specific, databaseSpecific);
    const ratings = entries.map((entry) => cvssOf(entry.severity, `${entry.field}.severity`, own));
    const cvss = ratingOf(
      ratings.find((found) => found !== undefined),
      rating,
    );
    const priority = patchPriority({ kind, severity, score: cvss.score });
    const vulnType = isMalware ? 'Malicious Package' : weakness?.name;
    // Member by member: with a spread for each that may be absent, this takes 24 µs.
    const draft: Mutable<DraftRecord> = {};
    if (title !== '') draft.title = title;
    draft.description = description;
    draft.details = record.details;
    if (isDated) draft.disclosed_at = record.published;
    draft.modified_at = record.modified;
    if (record.withdrawn !== undefined) draft.withdrawn_at = record.withdrawn;
    if (kind !== undefined) draft.kind = kind;
    draft.source_id = record.id;
    draft.sources = identity.sources;
    draft.url = identity.url;
    if (vulnType) draft.vuln_type = vulnType;
    draft.cves = identity.cves;
    draft.ghsa = identity.ghsa;
    draft.aliases = identity.aliases;
    draft.severity = severity;
    if (priority !== undefined) draft.patch_priority = priority;
    draft.product = { type, slug, name };
    draft.cvss = cvss;
    draft.cwe = weakness ?? null;
    draft.references = references;
    draft.affected = affected;
    draft.affected_versions = exact;
    draft.credit = credit;
    draft.submitter = submitter;
    if (PLATFORM_TABLE[productTypeFacts(type).run].keepsSpecifics) {
      const specific = specificOf(entries, own);
      if (specific !== undefined) draft.ecosystem_specific = specific;
    }
    return { draft: draft as DraftRecord, problems: [...problems, ...own] }; // it has every required member
  };
}

function maliciousCodeFirst(a: number, b: number): number {
  return Number(b === EMBEDDED_MALICIOUS_CODE) - Number(a === EMBEDDED_MALICIOUS_CODE);
}
