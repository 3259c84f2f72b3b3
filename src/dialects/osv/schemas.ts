// The JSON schemas of this dialect's bodies. What the server writes is closed; the members are those of the OSV schema, and
// `database_specific` is described too.

import type { Ref, Schema } from '../../http/openapi/model.ts';
import { ADVISORY_KINDS } from '../../index/columns.ts';
import { VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import { closedObject, schemaRef } from '../openapi-parts.ts';
import { HELD_ECOSYSTEMS } from './ecosystems.ts';

const text = { type: 'string' };
const someText = { type: 'string', minLength: 1 };
const id = { type: 'string', pattern: '^[A-Za-z0-9_:+-][A-Za-z0-9_.:+-]{0,99}$' };
const instant = { type: 'string', pattern: '^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' };
const token = { type: 'string', pattern: '^[A-Za-z0-9_-]+$' };
const fraction = { type: 'number', minimum: 0, maximum: 1 };

function listOf(items: Schema | Ref, minItems = 0): Schema {
  return { type: 'array', items, ...(minItems === 0 ? {} : { minItems }) };
}

const severity = listOf(
  closedObject({ type: { type: 'string', enum: ['CVSS_V2', 'CVSS_V3', 'CVSS_V4'] }, score: someText }),
  1,
);

const event = {
  oneOf: ['introduced', 'fixed', 'last_affected'].map((name) => closedObject({ [name]: someText })),
};

const affected = closedObject(
  {
    package: closedObject(
      { ecosystem: { type: 'string', enum: [...HELD_ECOSYSTEMS] }, name: someText, purl: someText },
      ['purl'],
    ),
    severity,
    ranges: listOf(
      closedObject({ type: { type: 'string', enum: ['SEMVER', 'ECOSYSTEM'] }, events: listOf(event, 1) }),
      1,
    ),
    versions: { ...listOf(text), maxItems: 0 },
    database_specific: closedObject(
      {
        version_scheme: { type: 'string', enum: [...VERSION_SCHEMES] },
        fixed_in: listOf(someText, 1),
      },
      ['version_scheme', 'fixed_in'],
    ),
  },
  ['severity', 'database_specific'],
);

const reference = closedObject({
  type: {
    type: 'string',
    enum: [
      ...[
        'ADVISORY',
        'ARTICLE',
        'DETECTION',
        'DISCUSSION',
        'EVIDENCE',
        'FIX',
        'GIT',
        'INTRODUCED',
        'PACKAGE',
      ],
      ...['REPORT', 'WEB'],
    ],
  },
  url: { type: 'string', format: 'uri' },
});

const credit = closedObject(
  { name: text, contact: listOf(text, 1), type: { type: 'string', enum: ['FINDER', 'REPORTER'] } },
  ['contact'],
);

const databaseSpecific = closedObject(
  {
    ids: listOf({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, 1),
    psids: listOf({ type: 'string', pattern: '^[0-9a-f]{12}$' }, 1),
    kind: { type: 'string', enum: [...ADVISORY_KINDS] },
    vuln_type: text,
    cwe_ids: listOf({ type: 'string', pattern: '^CWE-\\d+$' }, 1),
    severity: { ...someText, description: 'The source’s own word.' },
    cvss_score: { type: 'number', minimum: 0, maximum: 10 },
    cvss_vector: { ...text, description: 'One that the OSV schema does not accept.' },
    is_exploited: { type: 'boolean' },
    patch_priority: { type: 'integer', minimum: 1, maximum: 3 },
    epss: closedObject({ score: fraction, percentile: fraction }),
    kev_date: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    sources: listOf(
      closedObject({ name: text, notice: text, license: text, license_url: text }, [
        'notice',
        'license',
        'license_url',
      ]),
      1,
    ),
    other_references: { ...listOf(text, 1), description: 'References that are not URIs.' },
  },
  [
    ...['cwe_ids', 'severity', 'cvss_score', 'cvss_vector', 'epss', 'kev_date', 'sources'],
    'other_references',
  ],
);

const query = {
  type: 'object',
  properties: {
    version: { type: ['string', 'null'] },
    commit: { type: ['string', 'null'] },
    package: { type: ['object', 'null'], description: '`ecosystem` and `name`, or `purl`.' },
    page_token: { type: ['string', 'null'], description: '`next_page_token` of the page before.' },
  },
};

const list = closedObject({ vulns: listOf(schemaRef('OsvRecord'), 1), next_page_token: token }, [
  'vulns',
  'next_page_token',
]);

export const schemas: { readonly [name: string]: Schema } = {
  OsvQuery: query,
  OsvBatchQuery: {
    type: 'object',
    properties: { queries: listOf(schemaRef('OsvQuery')) },
  },
  OsvList: list,
  OsvBatchList: closedObject(
    {
      results: listOf(
        closedObject(
          {
            vulns: listOf({ oneOf: [schemaRef('OsvEntry'), schemaRef('OsvRecord')] }, 1),
            next_page_token: token,
          },
          ['vulns', 'next_page_token'],
        ),
      ),
    },
    ['results'],
  ),
  OsvEntry: closedObject({ id, modified: instant }),
  OsvRecord: closedObject(
    {
      schema_version: text,
      id,
      modified: instant,
      published: instant,
      withdrawn: instant,
      aliases: listOf(someText, 1),
      summary: text,
      details: text,
      severity,
      affected: listOf(affected, 1),
      references: listOf(reference),
      credits: listOf(credit, 1),
      database_specific: databaseSpecific,
    },
    ['withdrawn', 'aliases', 'details', 'severity', 'credits'],
  ),
};
