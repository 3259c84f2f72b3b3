// The shape of a feed record: its fields, their types, and the error messages for the owner of the feed.
// feed.ts checks what the values mean together (bounds, ids, slugs, defaults).

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isPlainUrl } from '../../download/valid-url.ts';
import { ADVISORY_KINDS, type AdvisoryKind } from '../../index/columns.ts';
import { UPPER_BOUNDS, type UpperBound } from '../../index/lookup/interval.ts';
import { PRODUCT_TYPES, type ProductType } from '../../index/product-type.ts';
import { VERSION_SCHEMES, type VersionScheme } from '../../index/versions/version-key.ts';
import { parseDay, parseSeconds } from './instant.ts';

export interface FeedSpan {
  readonly from_version: string | null;
  readonly to_version: string | null;
  readonly to_bound: UpperBound | null;
  readonly fixed_in: string | null;
}

export interface FeedPerson {
  readonly name: string;
  readonly url: string;
}

export interface FeedSource {
  readonly name: string;
  readonly notice?: string;
  readonly license?: string;
  readonly license_url?: string;
  readonly fields?: readonly string[];
}

interface FeedWeakness {
  readonly id?: number | null;
  readonly name?: string | null;
}

/**
 * A record that fits the schema. Unknown members are allowed and ignored; unknown-members.ts reports them.
 */
export interface FeedRecord {
  readonly id: number;
  readonly psid?: string;
  readonly title: string;
  readonly description?: string;
  readonly details?: string;
  readonly disclosed_at: string;
  readonly created_at: string;
  readonly modified_at?: string;
  readonly withdrawn_at?: string;
  readonly kind?: AdvisoryKind;
  readonly source_id?: string;
  readonly sources?: readonly FeedSource[];
  readonly url: string;
  readonly url_slug?: string;
  readonly vuln_type: string;
  readonly cves?: readonly string[];
  readonly ghsa?: string;
  readonly aliases?: readonly string[];
  readonly severity?: string;
  readonly epss?: { readonly score: number; readonly percentile: number } | null;
  readonly kev_date?: string;
  readonly is_exploited?: boolean;
  readonly patch_priority?: 1 | 2 | 3;
  readonly product: {
    readonly id: number;
    readonly type: ProductType;
    readonly slug: string;
    readonly name: string;
    readonly premium_name?: string;
  };
  readonly cvss?: { readonly score?: number | null; readonly vector?: string | null } | null;
  readonly cwe?: FeedWeakness | null;
  readonly capec?: FeedWeakness | null;
  readonly owasp?: string;
  readonly references?: readonly { readonly url: string; readonly title?: string }[];
  readonly affected?: readonly FeedSpan[];
  readonly affected_versions?: readonly string[];
  readonly version_scheme?: VersionScheme;
  readonly credit?: FeedPerson | null;
  readonly submitter?: FeedPerson | null;
  readonly ecosystem_specific?: Readonly<Record<string, unknown>>;
}

export interface FieldProblem {
  /** For example `affected[0].to_bound`; `line` for a line that is not a record. */
  readonly field: string;
  readonly message: string;
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Completes the sentence "must be …", whichever keyword of this schema fails. */
  readonly expects: string;
}

const TEXT: Schema = { type: 'string', expects: 'a string' };
const TEXT_OR_NULL: Schema = { type: ['string', 'null'], expects: 'a string or null' };
const DATE_TIME: Schema = {
  type: 'string',
  format: 'date-time',
  expects: 'an RFC 3339 date-time such as 2026-04-21T08:38:34+00:00',
};

const DATE: Schema = {
  type: 'string',
  format: 'date',
  expects: 'a date from 1970 on such as 2026-04-21',
};
const SHARE: Schema = { type: 'number', minimum: 0, maximum: 1, expects: 'a number from 0 to 1' };

function wholeNumber(minimum: number): Schema {
  const maximum = Number.MAX_SAFE_INTEGER;
  return { type: 'integer', minimum, maximum, expects: `a whole number from ${minimum} to ${maximum}` };
}

function oneOf(values: readonly (string | number)[]): Schema {
  return { enum: values, expects: `one of ${values.join(', ')}` };
}

function listOf(items: Schema, what: string): Schema {
  return { type: 'array', items, expects: `a list of ${what}` };
}

function object(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: 'object', properties, required, expects: 'an object' };
}

function orNull(schema: Schema): Schema {
  return { ...schema, type: ['object', 'null'], expects: 'an object or null' };
}

const SOURCE = object(
  { name: TEXT, notice: TEXT, license: TEXT, license_url: TEXT, fields: listOf(TEXT, 'strings') },
  ['name'],
);
const EPSS = orNull(object({ score: SHARE, percentile: SHARE }, ['score', 'percentile']));
const PERSON = orNull(object({ name: TEXT, url: TEXT }, ['name', 'url']));
const WEAKNESS = orNull(
  object(
    {
      id: { ...wholeNumber(0), type: ['integer', 'null'], expects: 'a whole number or null' },
      name: TEXT_OR_NULL,
    },
    [],
  ),
);
// All four keys of a span are required, though each may be null: unknown keys only cause a warning, so a
// misspelt `to_version` would otherwise silently mean unbounded.
const SPAN = object(
  {
    from_version: TEXT_OR_NULL,
    to_version: TEXT_OR_NULL,
    to_bound: { enum: [...UPPER_BOUNDS, null], expects: `one of ${UPPER_BOUNDS.join(', ')}` },
    fixed_in: TEXT_OR_NULL,
  },
  ['from_version', 'to_version', 'to_bound', 'fixed_in'],
);

/** docs/feed-format.md describes every member. */
export const FEED_RECORD: Schema = object(
  {
    id: wholeNumber(1),
    psid: { type: 'string', pattern: '^[0-9a-f]{12}$', expects: '12 lower-case hex digits' },
    title: TEXT,
    description: TEXT,
    details: TEXT,
    disclosed_at: DATE_TIME,
    created_at: DATE_TIME,
    modified_at: DATE_TIME,
    withdrawn_at: DATE_TIME,
    kind: oneOf(ADVISORY_KINDS),
    source_id: TEXT,
    sources: listOf(SOURCE, 'objects'),
    url: {
      type: 'string',
      format: 'uri',
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]',
      expects: 'an absolute http or https URL',
    },
    url_slug: TEXT,
    vuln_type: TEXT,
    cves: listOf(TEXT, 'strings'),
    ghsa: TEXT,
    aliases: listOf(TEXT, 'strings'),
    severity: TEXT,
    epss: EPSS,
    kev_date: DATE,
    is_exploited: { type: 'boolean', expects: 'true or false' },
    patch_priority: oneOf([1, 2, 3]),
    product: object(
      { id: wholeNumber(0), type: oneOf(PRODUCT_TYPES), slug: TEXT, name: TEXT, premium_name: TEXT },
      ['id', 'type', 'slug', 'name'],
    ),
    cvss: orNull(
      object(
        {
          // No range: published feeds contain -1 for a missing score.
          score: { type: ['number', 'null'], expects: 'a number or null' },
          vector: TEXT_OR_NULL,
        },
        [],
      ),
    ),
    cwe: WEAKNESS,
    capec: WEAKNESS,
    owasp: TEXT,
    references: listOf(object({ url: TEXT, title: TEXT }, ['url']), 'objects'),
    affected: listOf(SPAN, 'spans'),
    affected_versions: listOf(TEXT, 'strings'),
    version_scheme: oneOf(VERSION_SCHEMES),
    credit: PERSON,
    submitter: PERSON,
    ecosystem_specific: { type: 'object', expects: 'an object' },
  },
  ['id', 'title', 'disclosed_at', 'created_at', 'url', 'vuln_type', 'product'],
);

let compiled: ValidateFunction<FeedRecord> | undefined;

/**
 * Compiled on first use: that takes tens of milliseconds, and most commands import this but validate nothing.
 */
function validator(): ValidateFunction<FeedRecord> {
  if (compiled !== undefined) return compiled;
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true });
  addFormats.default(ajv, ['uri']);
  const isUri = ajv.formats.uri as (text: string) => boolean; // the form that was added
  ajv.addFormat('uri', (text) => isPlainUrl(text) || isUri(text));
  ajv.addFormat('date-time', (text) => parseSeconds(text) !== undefined);
  ajv.addFormat('date', (text) => parseDay(text) !== undefined);
  ajv.addKeyword({ keyword: 'expects', schemaType: 'string' });
  compiled = ajv.compile<FeedRecord>(FEED_RECORD);
  return compiled;
}

/** Adds schema violations to `problems`, one per field, except for fields already in it. */
export function checkAgainstSchema(value: object, problems: FieldProblem[]): void {
  const validate = validator();
  if (validate(value)) return;
  const seen = new Set(problems.map(({ field }) => field));
  for (const error of validate.errors ?? []) {
    const problem = describeError(error);
    if (seen.has(problem.field)) continue; // one value can fail two keywords: a type and a format
    seen.add(problem.field);
    problems.push(problem);
  }
}

function describeError(error: ErrorObject): FieldProblem {
  const field = fieldOf(error.instancePath);
  if (error.keyword === 'required') {
    const { missingProperty } = error.params as { missingProperty: string };
    return { field: field === '' ? missingProperty : `${field}.${missingProperty}`, message: 'is required' };
  }
  // `verbose` sets it, and every schema above has `expects`.
  const { expects } = error.parentSchema as unknown as Schema;
  return { field, message: `must be ${expects} (got ${quoted(error.data)})` };
}

/** Turns `/affected/0/to_bound` into `affected[0].to_bound`. Requires: no key needs JSON Pointer escapes. */
export function fieldOf(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
}

/**
 * What is wrong with a required member that is absent or has another type. `expects` completes "must be …".
 */
export function mustBe(expects: string, value: unknown): string {
  return value === undefined ? 'is required' : `must be ${expects} (got ${quoted(value)})`;
}

/** A value as JSON, cut to keep the message on one line. */
export function quoted(value: unknown): string {
  const json = toJson(value) ?? 'a value that cannot be shown';
  return json.length <= 80 ? json : `${json.slice(0, 77)}…`;
}

/**
 * Parsed JSON as text again. Undefined for undefined, and for what is nested deeper than the stack:
 * JSON.parse reads that.
 */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

// A lone surrogate: with the u flag a well-formed pair is one character, which is not in this category.
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * What is wrong with a text that has half a surrogate pair, which cannot be part of a URL either; else
 * undefined.
 */
export function surrogateProblem(text: string): string | undefined {
  if (!LONE_SURROGATE.test(text)) return undefined;
  return 'contains half of a surrogate pair, which UTF-8 cannot encode';
}

/**
 * Adds the fields of the schema whose strings contain half a surrogate pair to `problems`. JSON can escape
 * one, but UTF-8 cannot encode it, so it could not be served as published.
 */
export function checkSurrogates(record: object, problems: FieldProblem[]): void {
  checkSurrogatesIn(record, FEED_RECORD, '', problems);
}

function checkSurrogatesIn(value: unknown, schema: Schema, field: string, problems: FieldProblem[]): void {
  if (typeof value === 'string') {
    const message = surrogateProblem(value);
    if (message !== undefined) problems.push({ field, message });
  } else if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    value.forEach((item, at) => {
      checkSurrogatesIn(item, items, `${field}[${at}]`, problems);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(schema.properties ?? {})) {
      const path = field === '' ? key : `${field}.${key}`;
      if (Object.hasOwn(value, key)) {
        checkSurrogatesIn((value as Record<string, unknown>)[key], inner, path, problems);
      }
    }
  }
}
