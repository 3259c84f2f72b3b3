// The JSON Schemas of requests and answers. Everything the server writes is closed (no additional
// properties), so a misspelt or forgotten key fails the tests that check replies against this document. What
// clients send is open, because the server ignores what it does not know.

import type { Schema } from '../../../http/openapi/model.ts';
import { UPPER_BOUNDS } from '../../../index/lookup/interval.ts';
import { PRODUCT_TYPE_TABLE, PRODUCT_TYPES } from '../../../index/product-type.ts';
import * as s from '../../schema-words.ts';
import { ITEM_ERROR_CODES } from '../problems.ts';
import { ownSchemas } from './own-schemas.ts';

const instant = {
  type: 'string',
  format: 'date-time',
  // An offset in a feed can push 9999-12-31 into the next year, hence four digits or more.
  pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$',
  description: 'UTC, whole seconds.',
};
const catalogueEntry = s.object({ id: { type: ['integer', 'null'] }, name: s.nullableText });

const listItem = {
  id: s.described('Stable vulnerability id. Lists are ordered by it, descending.', s.advisoryId),
  title: s.described('Prefixed with `NPM: ` for npm packages.', s.text),
  disclosed_at: instant,
  created_at: s.described('When the record entered the database; `/latest` filters on it. UTC.', instant),
  url: s.described('Public page of the vulnerability.', s.uri),
  vuln_type: s.text,
  cve: s.described('First CVE id, without `CVE-`; empty when none is assigned.', s.text),
  is_exploited: s.described('Exploitation in the wild was observed.', s.flag),
  patch_priority: { type: 'integer', minimum: 1, maximum: 3, description: '1 is low, 3 is high.' },
  advisory_details: s.described('Markdown body. Present only with `include=details`.', s.text),
  product: s.object({ id: s.integer, name: s.text, slug: s.text }),
  cvss: s.cvss,
  cwe: catalogueEntry,
  capec: catalogueEntry,
  references: s.texts,
  ghsa: s.described('GitHub advisory id; empty when there is none.', s.text),
  version_info: s.ref('VersionInfo'),
};

const updateTo = s.described(
  'Present with `fix=true`, except for the version `*`: the lowest version that the product’s data names which is not below the one asked for and to which no vulnerability applies; null when there is none.',
  s.nullableText,
);
const batchQuery = { type: s.oneOfWords(PRODUCT_TYPES), name: s.text, version: s.text };

export const schemas: { readonly [name: string]: Schema } = {
  Vulnerability: {
    ...s.object(listItem, ['advisory_details']),
    description: 'A vulnerability as `/all` and `/latest` list it.',
  },
  MatchedVulnerability: {
    ...s.object({ ...listItem, matched_range: s.ref('MatchedRange') }, ['advisory_details', 'matched_range']),
    description: 'A vulnerability as product and batch lookups list it.',
  },
  VersionInfo: s.object({
    affected: s.described(
      'Affected ranges, ascending, joined with ` || `; `*` is every version. For npm a node-semver range.',
      s.someText,
    ),
    fixed: s.described(
      'A fixed version, empty when there is none: the highest on `/all`, the lowest elsewhere. On product and batch lookups prefer `matched_range.fixed_in`.',
      s.text,
    ),
    patched_ranges: s.described(
      'One entry per fixed span when there are several, else empty. An unrecorded bound is `""`.',
      s.patchedRanges,
    ),
  }),
  MatchedRange: {
    ...s.object({
      from_version: s.described('Inclusive; null is unbounded below.', s.nullableText),
      to_version: s.described('Null is unbounded above.', s.nullableText),
      to_bound: s.described('How to read `to_version`; null when unrecorded.', s.wordOrNull(UPPER_BOUNDS)),
      fixed_in: s.described('The fix for this span; null when this line was never fixed.', s.nullableText),
    }),
    description: 'The affected span that contains the version asked for. Absent when the version was `*`.',
  },
  Pagination: s.object(
    {
      current_page: s.positive,
      per_page: { type: 'integer', minimum: 1, maximum: 500 },
      total: s.count,
      total_pages: s.described('0 when nothing matches.', s.count),
      has_next_page: s.flag,
      has_previous_page: s.flag,
      next_page: { type: ['integer', 'null'], minimum: 1 },
      previous_page: { type: ['integer', 'null'], minimum: 1 },
      from: s.described('Position of the first item, from 1; 0 on an empty page.', s.count),
      to: s.described('Position of the last item; 0 on an empty page.', s.count),
    },
    ['next_page', 'previous_page'],
  ),
  Cursor: s.object({
    next_cursor: {
      type: ['string', 'null'],
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'Send it as `cursor` to get the next page; null on the last one. Opaque.',
    },
    has_more: s.flag,
    per_page: { type: 'integer', minimum: 1, maximum: 500 },
  }),
  OffsetPage: s.object({
    vulnerabilities: s.list(s.ref('Vulnerability')),
    pagination: s.ref('Pagination'),
  }),
  CursorPage: s.object({
    vulnerabilities: s.list(s.ref('Vulnerability')),
    cursor: s.ref('Cursor'),
  }),
  Changes: s.object({
    since: s.described('The snapshot asked for.', s.snapshotId),
    snapshot: s.described(
      'The snapshot that the answer is from: the `since` of the next round.',
      s.snapshotId,
    ),
    changes: s.list({ oneOf: [s.ref('ListedChange'), s.ref('UnlistedChange')] }),
    cursor: s.ref('Cursor'),
  }),
  ListedChange: {
    ...s.object({
      id: s.advisoryId,
      change: s.oneOfWords(['added', 'changed']),
      vulnerability: s.ref('Vulnerability'),
    }),
    description: 'The vulnerability as `/all` lists it now.',
  },
  UnlistedChange: {
    ...s.object({ id: s.advisoryId, change: s.oneOfWords(['withdrawn', 'removed']) }),
    description:
      '`/all` no longer lists the vulnerability. A withdrawn one is still at `/vulnerability/{id}`, with `withdrawn_at`.',
  },
  Page: { oneOf: [s.ref('OffsetPage'), s.ref('CursorPage')] },
  ProductVulnerabilities: s.object(
    { vulnerabilities: s.list(s.ref('MatchedVulnerability')), update_to: updateTo },
    ['update_to'],
  ),
  ProductVulnerable: s.object({ vulnerable: s.flag }),
  BatchRequest: {
    type: 'array',
    maxItems: 50,
    items: {
      type: 'object',
      required: ['type', 'name', 'version'],
      properties: {
        type: s.oneOfWords(PRODUCT_TYPES),
        name: s.described('Product slug, or the name of a package. At most 256 bytes.', s.someText),
        version: s.described('A version, at most 256 bytes; `*` lists everything on record.', s.someText),
        exists: {
          type: 'boolean',
          default: false,
          description: 'Answer with a boolean instead of the list.',
        },
      },
    },
  },
  BatchResult: {
    type: 'array',
    maxItems: 50,
    description: 'One result per item, in the order sent, echoing the item.',
    items: {
      oneOf: [s.ref('BatchVulnerable'), s.ref('BatchVulnerabilities'), s.ref('BatchItemError')],
    },
  },
  BatchVulnerable: s.object({ ...batchQuery, vulnerable: s.flag, update_to: updateTo }, ['update_to']),
  BatchVulnerabilities: s.object(
    {
      ...batchQuery,
      vulnerabilities: s.list(s.ref('MatchedVulnerability')),
      update_to: updateTo,
    },
    ['update_to'],
  ),
  BatchItemError: {
    ...s.object({
      ...batchQuery,
      error: s.object({
        code: s.oneOfWords(ITEM_ERROR_CODES),
        message: s.someText,
      }),
    }),
    description:
      'One item without an answer; the other items are not affected. `invalid_version`: the text is not a version of its type of product. `batch_too_large`: the answer does not fit into the 8 MiB of a batch; send the item in another one, or ask for it alone.',
  },
  VulnerabilityRecord: s.object(
    {
      vulnerability: s.object(
        {
          id: s.advisoryId,
          psid: s.psid,
          title: s.text,
          description: s.text,
          disclosure_date: {
            type: 'string',
            pattern: '^\\d{4,}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
            description: '`disclosed_at` in its older form, UTC.',
          },
          disclosed_at: instant,
          created_at: instant,
          is_exploited: s.flag,
          url: s.described('The last part of the public page’s path.', s.text),
          direct_url: s.described('Public page of the vulnerability.', s.uri),
          withdrawn_at: s.described(
            'Present only when withdrawn; no list or lookup shows it any more. UTC.',
            instant,
          ),
        },
        ['withdrawn_at'],
      ),
      product: s.object({
        name: s.text,
        slug: s.text,
        type: s.oneOfWords(PRODUCT_TYPE_TABLE.map(({ label }) => label)),
      }),
      type: s.described('Category, as `vuln_type` in lists.', s.text),
      cvss: s.cvss,
      owasp: s.described('For example `A1: Injection`; empty when there is none.', s.text),
      references_url: s.list(s.object({ url: s.text, title: s.text })),
      cve: s.described('All CVE ids, without `CVE-`.', s.texts),
      versions: s.object({
        affected_in: s.described('As `version_info.affected` in lists.', s.someText),
        fixed_in: s.described('The lowest fixed version; empty when there is none.', s.text),
      }),
      versions_list: s.described(
        'Exact affected versions, joined with `, `; null when none are listed.',
        s.nullableText,
      ),
      credit: s.described('Who found it.', s.person),
      submitter: s.described('Who reported it, when that is someone else.', s.person),
      copyrights: s.described(
        'Notices and licences of the sources, to be shown wherever the advisory is. Present only when there are any; a text is empty when its source has none.',
        s.copyrights,
      ),
    },
    ['copyrights'],
  ),
  ...ownSchemas,
  Health: s.object({ status: s.exactly('ok') }),
  Readiness: s.object(
    {
      status: s.exactly('ready'),
      warning: s.described('Why answers carry a `Warning` header, when they do.', s.text),
    },
    ['warning'],
  ),
  // Open on purpose: it describes this document, whose shape OpenAPI defines.
  OpenApiDocument: {
    type: 'object',
    required: ['openapi', 'info', 'paths'],
    properties: {
      openapi: s.matching('^3\\.1\\.'),
      info: { type: 'object' },
      paths: { type: 'object' },
    },
  },
};
