// The JSON Schemas of requests and answers. Everything the server writes is closed (no additional properties),
// so a misspelt or forgotten key fails the tests that check replies against this document. What clients send is open,
// because the server ignores what it does not know.

import type { Schema } from '../../../http/openapi/model.ts';
import { UPPER_BOUNDS } from '../../../index/lookup/interval.ts';
import { PRODUCT_TYPE_TABLE, PRODUCT_TYPES } from '../../../index/product-type.ts';
import {
  advisoryId,
  closedObject,
  copyright,
  count,
  cvss,
  described,
  exactly,
  flag,
  integer,
  listOf,
  matching,
  nullableText,
  oneOfWords,
  person,
  positive,
  psid,
  schemaRef,
  snapshotId,
  someText,
  text,
  texts,
  uri,
  wordOrNull,
} from '../../schema-words.ts';
import { ITEM_ERROR_CODES } from '../problems.ts';
import { ownSchemas } from './own-schemas.ts';

const instant = {
  type: 'string',
  format: 'date-time',
  // An offset in a feed can push 9999-12-31 into the next year, hence four digits or more.
  pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$',
  description: 'UTC, whole seconds.',
};
const catalogueEntry = closedObject({ id: { type: ['integer', 'null'] }, name: nullableText });

const listItem = {
  id: described('Stable vulnerability id. Lists are ordered by it, descending.', advisoryId),
  title: described('Prefixed with `NPM: ` for npm packages.', text),
  disclosed_at: instant,
  created_at: described('When the record entered the database; `/latest` filters on it. UTC.', instant),
  url: described('Public page of the vulnerability.', uri),
  vuln_type: text,
  cve: described('First CVE id, without `CVE-`; empty when none is assigned.', text),
  is_exploited: described('Exploitation in the wild was observed.', flag),
  patch_priority: { type: 'integer', minimum: 1, maximum: 3, description: '1 is low, 3 is high.' },
  advisory_details: described('Markdown body. Present only with `include=details`.', text),
  product: closedObject({ id: integer, name: text, slug: text }),
  cvss,
  cwe: catalogueEntry,
  capec: catalogueEntry,
  references: texts,
  ghsa: described('GitHub advisory id; empty when there is none.', text),
  version_info: schemaRef('VersionInfo'),
};

const updateTo = described(
  'Present with `fix=true`, except for the version `*`: the lowest version that the product’s data names which is not below the one asked for and to which no vulnerability applies; null when there is none.',
  nullableText,
);
const batchQuery = { type: oneOfWords(PRODUCT_TYPES), name: text, version: text };

export const schemas: { readonly [name: string]: Schema } = {
  Vulnerability: {
    ...closedObject(listItem, ['advisory_details']),
    description: 'A vulnerability as `/all` and `/latest` list it.',
  },
  MatchedVulnerability: {
    ...closedObject({ ...listItem, matched_range: schemaRef('MatchedRange') }, [
      'advisory_details',
      'matched_range',
    ]),
    description: 'A vulnerability as product and batch lookups list it.',
  },
  VersionInfo: closedObject({
    affected: described(
      'Affected ranges, ascending, joined with ` || `; `*` is every version. For npm a node-semver range.',
      someText,
    ),
    fixed: described(
      'A fixed version, empty when there is none: the highest on `/all`, the lowest elsewhere. On product and batch lookups prefer `matched_range.fixed_in`.',
      text,
    ),
    patched_ranges: described(
      'One entry per fixed span when there are several, else empty. An unrecorded bound is `""`.',
      listOf(closedObject({ from_version: text, to_version: text, fixed_in: text })),
    ),
  }),
  MatchedRange: {
    ...closedObject({
      from_version: described('Inclusive; null is unbounded below.', nullableText),
      to_version: described('Null is unbounded above.', nullableText),
      to_bound: described('How to read `to_version`; null when unrecorded.', wordOrNull(UPPER_BOUNDS)),
      fixed_in: described('The fix for this span; null when this line was never fixed.', nullableText),
    }),
    description: 'The affected span that contains the version asked for. Absent when the version was `*`.',
  },
  Pagination: closedObject(
    {
      current_page: positive,
      per_page: { type: 'integer', minimum: 1, maximum: 500 },
      total: count,
      total_pages: described('0 when nothing matches.', count),
      has_next_page: flag,
      has_previous_page: flag,
      next_page: { type: ['integer', 'null'], minimum: 1 },
      previous_page: { type: ['integer', 'null'], minimum: 1 },
      from: described('Position of the first item, from 1; 0 on an empty page.', count),
      to: described('Position of the last item; 0 on an empty page.', count),
    },
    ['next_page', 'previous_page'],
  ),
  Cursor: closedObject({
    next_cursor: {
      type: ['string', 'null'],
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'Send it as `cursor` to get the next page; null on the last one. Opaque.',
    },
    has_more: flag,
    per_page: { type: 'integer', minimum: 1, maximum: 500 },
  }),
  OffsetPage: closedObject({
    vulnerabilities: listOf(schemaRef('Vulnerability')),
    pagination: schemaRef('Pagination'),
  }),
  CursorPage: closedObject({
    vulnerabilities: listOf(schemaRef('Vulnerability')),
    cursor: schemaRef('Cursor'),
  }),
  Changes: closedObject({
    since: described('The snapshot asked for.', snapshotId),
    snapshot: described('The snapshot that the answer is from: the `since` of the next round.', snapshotId),
    changes: listOf({ oneOf: [schemaRef('ListedChange'), schemaRef('UnlistedChange')] }),
    cursor: schemaRef('Cursor'),
  }),
  ListedChange: {
    ...closedObject({
      id: advisoryId,
      change: oneOfWords(['added', 'changed']),
      vulnerability: schemaRef('Vulnerability'),
    }),
    description: 'The vulnerability as `/all` lists it now.',
  },
  UnlistedChange: {
    ...closedObject({ id: advisoryId, change: oneOfWords(['withdrawn', 'removed']) }),
    description:
      '`/all` no longer lists the vulnerability. A withdrawn one is still at `/vulnerability/{id}`, with `withdrawn_at`.',
  },
  Page: { oneOf: [schemaRef('OffsetPage'), schemaRef('CursorPage')] },
  ProductVulnerabilities: closedObject(
    { vulnerabilities: listOf(schemaRef('MatchedVulnerability')), update_to: updateTo },
    ['update_to'],
  ),
  ProductVulnerable: closedObject({ vulnerable: flag }),
  BatchRequest: {
    type: 'array',
    maxItems: 50,
    items: {
      type: 'object',
      required: ['type', 'name', 'version'],
      properties: {
        type: oneOfWords(PRODUCT_TYPES),
        name: described('Product slug, or npm package name. At most 256 bytes.', someText),
        version: described('A version, at most 256 bytes; `*` lists everything on record.', someText),
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
      oneOf: [schemaRef('BatchVulnerable'), schemaRef('BatchVulnerabilities'), schemaRef('BatchItemError')],
    },
  },
  BatchVulnerable: closedObject({ ...batchQuery, vulnerable: flag, update_to: updateTo }, ['update_to']),
  BatchVulnerabilities: closedObject(
    {
      ...batchQuery,
      vulnerabilities: listOf(schemaRef('MatchedVulnerability')),
      update_to: updateTo,
    },
    ['update_to'],
  ),
  BatchItemError: {
    ...closedObject({
      ...batchQuery,
      error: closedObject({
        code: oneOfWords(ITEM_ERROR_CODES),
        message: someText,
      }),
    }),
    description:
      'One item without an answer; the other items are not affected. `invalid_version`: the text is not a version of its type of product. `batch_too_large`: the answer does not fit into the 8 MiB of a batch; send the item in another one, or ask for it alone.',
  },
  VulnerabilityRecord: closedObject(
    {
      vulnerability: closedObject(
        {
          id: advisoryId,
          psid,
          title: text,
          description: text,
          disclosure_date: {
            type: 'string',
            pattern: '^\\d{4,}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
            description: '`disclosed_at` in its older form, UTC.',
          },
          disclosed_at: instant,
          created_at: instant,
          is_exploited: flag,
          url: described('The last part of the public page’s path.', text),
          direct_url: described('Public page of the vulnerability.', uri),
          withdrawn_at: described(
            'Present only when withdrawn; no list or lookup shows it any more. UTC.',
            instant,
          ),
        },
        ['withdrawn_at'],
      ),
      product: closedObject({
        name: text,
        slug: text,
        type: oneOfWords(PRODUCT_TYPE_TABLE.map(({ label }) => label)),
      }),
      type: described('Category, as `vuln_type` in lists.', text),
      cvss,
      owasp: described('For example `A1: Injection`; empty when there is none.', text),
      references_url: listOf(closedObject({ url: text, title: text })),
      cve: described('All CVE ids, without `CVE-`.', texts),
      versions: closedObject({
        affected_in: described('As `version_info.affected` in lists.', someText),
        fixed_in: described('The lowest fixed version; empty when there is none.', text),
      }),
      versions_list: described(
        'Exact affected versions, joined with `, `; null when none are listed.',
        nullableText,
      ),
      credit: described('Who found it.', person),
      submitter: described('Who reported it, when that is someone else.', person),
      copyrights: described(
        'Notices and licences of the sources, to be shown wherever the advisory is. Present only when there are any; a text is empty when its source has none.',
        listOf(copyright),
      ),
    },
    ['copyrights'],
  ),
  ...ownSchemas,
  Health: closedObject({ status: exactly('ok') }),
  Readiness: closedObject(
    {
      status: exactly('ready'),
      warning: described('Why answers carry a `Warning` header, when they do.', text),
    },
    ['warning'],
  ),
  // Open on purpose: it describes this document, whose shape OpenAPI defines.
  OpenApiDocument: {
    type: 'object',
    required: ['openapi', 'info', 'paths'],
    properties: {
      openapi: matching('^3\\.1\\.'),
      info: { type: 'object' },
      paths: { type: 'object' },
    },
  },
};
