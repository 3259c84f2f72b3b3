// The project's own feed format: turns lines into advisories, or into rejects that say what is wrong. Owns what the
// schema cannot express: duplicate ids, bounds under their scheme, slugs, defaults. lines.ts splits files into lines;
// feed-schema.ts checks single fields.

import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Advisory, Person, Product, Source } from '../compiler/advisory.ts';
import { EPSS_ONE } from '../index/columns.ts';
import { MAX_RECORD_BYTES } from '../index/items/detail-record.ts';
import type { EpssRating } from '../index/items/rare-facts.ts';
import { isEmptySpan, type Span } from '../index/lookup/interval.ts';
import { MAX_SLUG_BYTES } from '../index/lookup/product-table.ts';
import { hasControlCharacter, isLongerThan } from '../index/memory/text-limits.ts';
import { allowsScheme, productTypeFacts, storedSlug } from '../index/product-type.ts';
import {
  hasLetterOrDigit,
  isStrictScheme,
  MAX_VERSION_BYTES,
  type VersionScheme,
  versionKey,
} from '../index/versions/version-key.ts';
import { findExpression } from './bound-expression.ts';
import {
  checkAgainstSchema,
  type FeedPerson,
  type FeedRecord,
  type FeedSource,
  type FeedSpan,
  type FieldProblem,
  findLoneSurrogates,
  quoted,
} from './feed-schema.ts';
import { parseDay, parseSeconds } from './instant.ts';
import { FeedFileError, type Line, readLines } from './lines.ts';
import { findUnknownMembers, printable, UnknownMembers, unknownMemberProblem } from './unknown-members.ts';

/** A line that is not a valid advisory. */
export interface Reject {
  readonly file: string;
  readonly line: number;
  /** The line as it is in the file, without its line ending. */
  readonly bytes: Uint8Array;
  readonly problems: readonly FieldProblem[];
}

export type FeedEntry =
  | { readonly kind: 'advisory'; readonly advisory: Advisory }
  | { readonly kind: 'reject'; readonly reject: Reject };

/** Reads the files of one compilation, one after another: ids and PSIDs are unique across all of them. */
export class FeedImporter {
  /** Where each id and PSID (as a 48-bit number) was first used. */
  readonly #ids = new Map<number, number>();
  readonly #psids = new Map<number, number>();
  readonly #places = new Places();
  // ignoreBOM keeps a byte order mark as a character, so that one inside a file is invalid JSON, not dropped.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #isStrict: boolean;
  readonly #unknown = new UnknownMembers();

  /** Strict: an unknown member is an error in its line, not a warning. */
  constructor({ strict = false }: { readonly strict?: boolean } = {}) {
    this.#isStrict = strict;
  }

  /** One line of text for each unknown member ignored so far. */
  warnings(): string[] {
    return this.#unknown.warnings();
  }

  /**
   * Every line of the file as an entry, in order, in batches. `onBytes` as in readLines.
   * Throws FeedFileError, also for a file without records. Requires: the previous file was read to its end.
   */
  async *read(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<FeedEntry[]> {
    this.#places.openFile(path);
    let isEmpty = true;
    for await (const lines of readLines(path, onBytes)) {
      isEmpty = false;
      yield lines.map((line) => this.#entry(path, line));
    }
    if (isEmpty) {
      throw new FeedFileError(
        path,
        'no-advisory',
        'the file contains no advisories; check that it is the right file',
      );
    }
  }

  #entry(file: string, line: Line): FeedEntry {
    const place = this.#places.add(line.number);
    const problems: FieldProblem[] = [];
    const value = this.#parse(line.bytes, problems);
    if (value !== undefined) {
      checkAgainstSchema(value, problems);
      const misfits = new Set(problems.map(({ field }) => topLevelOf(field)));
      // From here on a field is read only if `fits` allows it, or if there are no problems at all.
      const record = value as FeedRecord;
      const fits = (field: keyof FeedRecord): boolean => !misfits.has(field);
      const report: Report = (field, message) => problems.push({ field, message });
      const psid = fits('id') && fits('psid') ? (record.psid ?? defaultPsid(record.id)) : undefined;
      if (fits('id')) this.#claim(record.id, psid, place, report);
      checkMeaning(record, fits, report);
      this.#reportUnknown(record, file, line.number, report);
      if (problems.length === 0 && psid !== undefined) {
        return { kind: 'advisory', advisory: toAdvisory(record, psid) };
      }
    }
    return {
      kind: 'reject',
      reject: { file, line: line.number, bytes: new Uint8Array(line.bytes), problems },
    };
  }

  #reportUnknown(record: FeedRecord, file: string, line: number, report: Report): void {
    const members = findUnknownMembers(record);
    if (!this.#isStrict) this.#unknown.note(members, file, line);
    else for (const member of members) report(printable(member.field), unknownMemberProblem(member));
  }

  #parse(bytes: Uint8Array, problems: FieldProblem[]): object | undefined {
    if (bytes.length > MAX_RECORD_BYTES) {
      const message = `has ${bytes.length} bytes; the limit is ${MAX_RECORD_BYTES}`;
      problems.push({ field: 'line', message });
      return undefined;
    }
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      problems.push({ field: 'line', message: 'is not valid UTF-8' });
      return undefined;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      problems.push({ field: 'line', message: `is not valid JSON (${(error as Error).message})` });
      return undefined;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push({ field: 'line', message: `must be a JSON object (got ${quoted(value)})` });
      return undefined;
    }
    // Decoded text has only whole surrogate pairs; half a pair can only come from an escape.
    if (text.includes('\\u')) {
      for (const field of findLoneSurrogates(value)) {
        problems.push({ field, message: 'contains half of a surrogate pair, which UTF-8 cannot encode' });
      }
    }
    return value;
  }

  /** Records the first use of an id and a PSID; a record rejected for another reason counts as a use. */
  #claim(id: number, psid: string | undefined, place: number, report: Report): void {
    const sameId = this.#ids.get(id);
    if (sameId !== undefined) {
      report('id', `${id} was already used at ${this.#places.name(sameId)}`);
      return; // its default PSID would only repeat the problem
    }
    this.#ids.set(id, place);
    if (psid === undefined) return;
    const key = Number.parseInt(psid, 16);
    const samePsid = this.#psids.get(key);
    if (samePsid === undefined) this.#psids.set(key, place);
    else report('psid', `${psid} is also the PSID of the advisory at ${this.#places.name(samePsid)}`);
  }
}

/** Identifies a line across all files by one small integer: its number plus the lines of the files before. */
class Places {
  readonly #files: { readonly path: string; readonly start: number }[] = [];
  #last = 0;

  openFile(path: string): void {
    this.#files.push({ path, start: this.#last });
  }

  add(line: number): number {
    this.#last = (this.#files.at(-1)?.start ?? 0) + line;
    return this.#last;
  }

  /** `file:line`. */
  name(place: number): string {
    const file = this.#files.findLast(({ start }) => start < place);
    return file === undefined ? `line ${place}` : `${file.path}:${place - file.start}`;
  }
}

type Report = (field: string, message: string) => void;

/** Checks what the schema cannot, in fields that fit it. */
function checkMeaning(record: FeedRecord, fits: (field: keyof FeedRecord) => boolean, report: Report): void {
  if (fits('url') && !URL.canParse(record.url)) {
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
  if (fits('product')) checkSlug(storedSlug(record.product.type, record.product.slug), report);
  if (!fits('affected') || !fits('affected_versions')) return;
  const affected = record.affected ?? [];
  const exact = record.affected_versions ?? [];
  if (affected.length === 0 && exact.length === 0) {
    report('affected', 'must have at least one span if affected_versions is empty');
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
    else {
      const problem = versionProblem(version, scheme);
      if (problem !== undefined) report(field, problem);
    }
  });
}

function checkSlug(slug: string, report: Report): void {
  if (slug === '') report('product.slug', 'is empty');
  else if (isLongerThan(slug, MAX_SLUG_BYTES))
    report('product.slug', `is longer than ${MAX_SLUG_BYTES} bytes`);
  else if (hasControlCharacter(slug))
    report('product.slug', `contains a control character (got ${quoted(slug)})`);
}

function checkSpan(span: FeedSpan, field: string, scheme: VersionScheme, report: Report): void {
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
    const problem = version === null ? undefined : versionProblem(version, scheme);
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

/** Why a text cannot be a bound: it is an expression, or not a version of the scheme. */
function versionProblem(text: string, scheme: VersionScheme): string | undefined {
  const meant = findExpression(text, scheme);
  if (meant !== undefined) return `${quoted(text)} is an expression, not a version; ${meant}`;
  const isVersion = isStrictScheme(scheme) ? versionKey(scheme, text) !== undefined : hasLetterOrDigit(text);
  return isVersion ? undefined : `${quoted(text)} is not a ${scheme} version`;
}

/** Requires: a record without problems. */
function toAdvisory(record: FeedRecord, psid: string): Advisory {
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
  };
}

function toProduct(product: FeedRecord['product']): Product {
  const { id, type, name, premium_name: premiumName = null } = product;
  return { id, type, slug: storedSlug(type, product.slug), name, premiumName };
}

function toSource({ name, notice = '', license = '', license_url: licenseUrl = '' }: FeedSource): Source {
  return { name, notice, license, licenseUrl };
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

function defaultPsid(id: number): string {
  return createHash('sha256').update(`psid:${id}`).digest('hex').slice(0, 12);
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
  const [address] = url.split(/[?#]/, 1);
  const [, , , ...path] = address.split('/'); // "https:", "", the authority
  return path.findLast((part) => part !== '') ?? new URL(url).host;
}

function hostOf(url: string): string {
  if (!URL.canParse(url)) return url;
  return new URL(url).host || url;
}

function topLevelOf(field: string): string {
  return field.split(/[.[]/, 1)[0];
}

/** One line of text per problem: `file:line: field: message`. */
export function formatProblem({ file, line, problems }: Reject): string[] {
  return problems.map(({ field, message }) => `${file}:${line}: ${field}: ${message}`);
}

/** One line of a rejects file, without a line feed. Contains the whole raw line, in base64 if it is not UTF-8. */
export function formatReject({ file, line, bytes, problems }: Reject): string {
  const raw = isUtf8(bytes)
    ? { raw: Buffer.from(bytes).toString() }
    : { raw_base64: Buffer.from(bytes).toString('base64') };
  return JSON.stringify({ file, line, problems, ...raw });
}
