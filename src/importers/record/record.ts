// What a record means: checks that the schema cannot express (bounds under their scheme, slugs, defaults),
// and the advisory that a sound record becomes. Every source's records pass through here, whatever format
// they came in.

import assert from 'node:assert/strict';
import type { Advisory, Person, Product, Source } from '../../compiler/advisory.ts';
import { isValidUrl, plainHost } from '../../download/valid-url.ts';
import { EPSS_ONE } from '../../index/columns.ts';
import type { EpssRating } from '../../index/items/rare-facts.ts';
import { isEmptySpan, type Span } from '../../index/lookup/interval.ts';
import { MAX_SLUG_BYTES } from '../../index/lookup/product-table.ts';
import { hasControlCharacter, isLongerThan } from '../../index/memory/text-limits.ts';
import { allowsScheme, productTypeFacts, storedSlug } from '../../index/product-type.ts';
import { MAX_VERSION_BYTES, type VersionScheme } from '../../index/versions/version-key.ts';
import { sha256 } from '../sha256.ts';
import { findExpression } from './bound-expression.ts';
import {
  checkAgainstSchema,
  type FeedPerson,
  type FeedRecord,
  type FeedSource,
  type FeedSpan,
  type FieldProblem,
  quoted,
  toJson,
} from './feed-schema.ts';
import { parseDay, parseSeconds } from './instant.ts';
import { isLiteral, versionProblem } from './version-problem.ts';

/**
 * Published records list up to about a thousand versions; each span of a record is in every list item of its
 * advisory.
 */
const MAX_SPANS = 10_000;

/** As compact JSON. Real ones have a few KiB; a listing of neighbours inflates it too. */
const MAX_SPECIFIC_BYTES = 256 << 10;
/** Far above real ones, which have three: how deep JSON can be written differs between releases of Node. */
const MAX_SPECIFIC_LEVELS = 100;

export type Report = (field: string, message: string) => void;

/**
 * Adds what is wrong with a record to `problems`, at most one problem per field from the schema. Returns
 * which fields fit the schema: only those may be read while there are problems.
 */
export function checkRecord(value: object, problems: FieldProblem[]): (field: keyof FeedRecord) => boolean {
  checkAgainstSchema(value, problems);
  const misfits = new Set(problems.map(({ field }) => topLevelOf(field)));
  const fits = (field: keyof FeedRecord): boolean => !misfits.has(field);
  checkMeaning(value as FeedRecord, fits, (field, message) => problems.push({ field, message }));
  return fits;
}

/** Checks what the schema cannot, in fields that fit it. */
function checkMeaning(record: FeedRecord, fits: (field: keyof FeedRecord) => boolean, report: Report): void {
  if (fits('url') && !isValidUrl(record.url)) {
    report('url', `must be an absolute http or https URL (got ${quoted(record.url)})`);
  }
  if (fits('cves')) {
    record.cves?.forEach((cve, at) => {
      if (withoutCvePrefix(cve) === '') report(`cves[${at}]`, `is not a CVE id (got ${quoted(cve)})`);
    });
  }
  if (fits('aliases')) {
    record.aliases?.forEach((alias, at) => {
      if (alias === '') report(`aliases[${at}]`, 'is empty');
    });
  }
  for (const [field, ids] of [
    ['source_id', [record.source_id]],
    ['ghsa', [record.ghsa]],
    ['cves', record.cves],
    ['aliases', record.aliases],
  ] as const) {
    const odd = fits(field) ? ids?.find((id) => id !== undefined && hasControlCharacter(id)) : undefined;
    if (odd !== undefined) report(field, `contains a control character (got ${quoted(odd)})`);
  }
  if (fits('ecosystem_specific')) {
    const problem = specificProblem(record.ecosystem_specific);
    if (problem !== undefined) report('ecosystem_specific', problem);
  }
  if (fits('product')) checkSlug(storedSlug(record.product.type, record.product.slug), report);
  if (!fits('affected') || !fits('affected_versions')) return;
  const affected = record.affected ?? [];
  const exact = record.affected_versions ?? [];
  if (affected.length === 0 && exact.length === 0) {
    report('affected', 'must have at least one span if affected_versions is empty');
  }
  const spanCount = affected.length + exact.length;
  if (spanCount > MAX_SPANS) {
    report('affected', `has ${spanCount} spans together with affected_versions; the limit is ${MAX_SPANS}`);
    return;
  }
  if (!fits('version_scheme') || !fits('product')) return;
  const scheme = schemeOf(record);
  const type = productTypeFacts(record.product.type);
  if (!allowsScheme(type, scheme)) {
    const problem = `must be ${type.scheme} for ${type.phrase}, or absent (got ${quoted(scheme)})`;
    report('version_scheme', problem);
    return;
  }
  affected.forEach((span, at) => {
    checkSpan(span, `affected[${at}]`, scheme, report);
  });
  exact.forEach((version, at) => {
    const field = `affected_versions[${at}]`;
    if (isLongerThan(version, MAX_VERSION_BYTES)) report(field, `is longer than ${MAX_VERSION_BYTES} bytes`);
    else if (!isLiteral(version, type)) {
      const problem = boundProblem(version, scheme);
      if (problem !== undefined) report(field, problem);
    }
  });
}

/** Why an object cannot be kept as the `ecosystem_specific` of a record; undefined if it can. */
export function specificProblem(specific: object | undefined): string | undefined {
  if (specific === undefined) return undefined;
  const json = isWithin(specific, MAX_SPECIFIC_LEVELS) ? toJson(specific) : undefined;
  if (json === undefined) return `is nested more than ${MAX_SPECIFIC_LEVELS} levels deep`;
  return Buffer.byteLength(json) > MAX_SPECIFIC_BYTES
    ? `is longer than ${MAX_SPECIFIC_BYTES} bytes`
    : undefined;
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isWithin(each, levels - 1));
}

function checkSlug(slug: string, report: Report): void {
  if (slug === '') report('product.slug', 'is empty');
  else if (isLongerThan(slug, MAX_SLUG_BYTES))
    report('product.slug', `is longer than ${MAX_SLUG_BYTES} bytes`);
  else if (hasControlCharacter(slug))
    report('product.slug', `contains a control character (got ${quoted(slug)})`);
}

/** Reports what is wrong with a span under a scheme; `field` is its name in the messages. */
export function checkSpan(span: FeedSpan, field: string, scheme: VersionScheme, report: Report): void {
  let isMeasurable = true;
  for (const key of ['from_version', 'to_version', 'fixed_in'] as const) {
    const version = span[key];
    if (version === null || !isLongerThan(version, MAX_VERSION_BYTES)) continue;
    report(`${field}.${key}`, `is longer than ${MAX_VERSION_BYTES} bytes`);
    if (key !== 'fixed_in') isMeasurable = false;
  }
  if (!isMeasurable) return;
  for (const key of ['from_version', 'to_version'] as const) {
    const version = span[key];
    const problem = version === null ? undefined : boundProblem(version, scheme);
    if (problem === undefined) continue;
    report(`${field}.${key}`, problem);
    isMeasurable = false;
  }
  if (!isMeasurable || !isEmptySpan(spanOf(span), scheme)) return;
  const relation = span.to_bound === 'exclusive' ? 'not below the exclusive' : 'above';
  report(
    field,
    `the span is empty (from_version ${span.from_version} is ${relation} to_version ${span.to_version})`,
  );
}

/** Why a text cannot be a bound of a feed, and what to write instead of an expression. */
function boundProblem(text: string, scheme: VersionScheme): string | undefined {
  const problem = versionProblem(text, scheme);
  const meant = problem === undefined ? undefined : findExpression(text, scheme);
  return meant === undefined ? problem : `${problem}; ${meant}`;
}

/** Requires: a record in which `checkRecord` found no problems. */
export function toAdvisory(record: FeedRecord, psid: string): Advisory {
  return {
    id: record.id,
    psid,
    title: record.title,
    description: record.description ?? '',
    details: record.details ?? '',
    disclosedAt: getInstant(record.disclosed_at),
    createdAt: getInstant(record.created_at),
    modifiedAt: instantOrNull(record.modified_at),
    withdrawnAt: instantOrNull(record.withdrawn_at),
    kind: record.kind ?? 'vulnerability',
    url: record.url,
    urlSlug: record.url_slug ?? lastPathPart(record.url),
    vulnType: record.vuln_type,
    cves: [...new Set(record.cves?.map(withoutCvePrefix))],
    ghsa: record.ghsa ?? '',
    sourceId: record.source_id ?? '',
    aliases: [...new Set(record.aliases)],
    sources: (record.sources ?? []).map(toSource),
    severity: record.severity ?? '',
    epss: toEpss(record.epss),
    kevDate: record.kev_date === undefined ? null : getDay(record.kev_date),
    isExploited: record.is_exploited ?? false,
    patchPriority: record.patch_priority ?? 1,
    product: toProduct(record.product),
    cvss: { score: record.cvss?.score ?? null, vector: record.cvss?.vector ?? null },
    cwe: { id: record.cwe?.id ?? null, name: record.cwe?.name ?? null },
    capec: { id: record.capec?.id ?? null, name: record.capec?.name ?? null },
    owasp: record.owasp ?? '',
    references: (record.references ?? []).map(({ url, title }) => ({ url, title: title ?? hostOf(url) })),
    spans: [...(record.affected ?? []).map(spanOf), ...(record.affected_versions ?? []).map(exactSpan)],
    affectedVersions: record.affected_versions ?? [],
    versionScheme: schemeOf(record),
    credit: toPerson(record.credit),
    submitter: toPerson(record.submitter),
    ecosystemSpecific: specificJson(record.ecosystem_specific),
  };
}

/** An empty object says nothing. Members keep their order. */
function specificJson(specific: FeedRecord['ecosystem_specific'] = {}): string {
  return Object.keys(specific).length === 0 ? '' : JSON.stringify(specific);
}

function toProduct(product: FeedRecord['product']): Product {
  const { id, type, name, premium_name: premiumName = null } = product;
  return { id, type, slug: storedSlug(type, product.slug), name, premiumName };
}

function toSource(source: FeedSource): Source {
  const { name, notice = '', license = '', license_url: licenseUrl = '', fields } = source;
  return { name, notice, license, licenseUrl, ...(fields === undefined ? {} : { fields }) };
}

function toEpss(epss: FeedRecord['epss']): EpssRating | null {
  if (!epss) return null;
  return { score: Math.round(epss.score * EPSS_ONE), percentile: Math.round(epss.percentile * EPSS_ONE) };
}

function toPerson(person: FeedPerson | null | undefined): Person | null {
  return person ? { name: person.name, url: person.url } : null;
}

function schemeOf(record: FeedRecord): VersionScheme {
  return record.version_scheme ?? productTypeFacts(record.product.type).scheme;
}

function spanOf({ from_version, to_version, to_bound, fixed_in }: FeedSpan): Span {
  return {
    from: from_version,
    to: to_version,
    toBound: to_bound,
    fixedIn: fixed_in === '' ? null : fixed_in,
  };
}

function exactSpan(version: string): Span {
  return { from: version, to: version, toBound: 'inclusive', fixedIn: null };
}

export function defaultPsid(id: number): string {
  return sha256(`psid:${id}`).slice(0, 12);
}

function instantOrNull(text: string | undefined): number | null {
  return text === undefined ? null : getInstant(text);
}

function getDay(text: string): number {
  const day = parseDay(text);
  assert(day !== undefined, 'the schema accepted a date that does not parse');
  return day;
}

function getInstant(text: string): number {
  const instant = parseSeconds(text);
  assert(instant !== undefined, 'the schema accepted a date-time that does not parse');
  return instant;
}

function withoutCvePrefix(cve: string): string {
  return cve.slice(0, 4).toUpperCase() === 'CVE-' ? cve.slice(4) : cve;
}

/** As written in the URL, escapes included; the host if the path is empty. Requires: an absolute URL. */
function lastPathPart(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  let end = url.search(/[?#]|$/);
  while (end > start && url[end - 1] === '/') end--;
  if (start === -1 || end <= start) return new URL(url).host;
  return url.slice(url.lastIndexOf('/', end - 1) + 1, end);
}

function hostOf(url: string): string {
  const plain = plainHost(url);
  if (plain !== undefined) return plain;
  if (!isValidUrl(url)) return url;
  return new URL(url).host || url;
}

function topLevelOf(field: string): string {
  return field.split(/[.[]/, 1)[0];
}

/**
 * A record becomes an advisory for each product that it names, with a copy of its text. Published records
 * have some hundred kilobytes of copies at most; a hostile one of a few kilobytes, compressed, could have
 * gigabytes.
 */
export const MAX_COPIED_BYTES = 16 * 1024 * 1024;

/** Of a record with more; `field` lists its products. */
export function tooManyCopies(field: string): FieldProblem {
  const message = `names so many products that the copies of its text have more than ${MAX_COPIED_BYTES} bytes`;
  return { field, message };
}
