// The JSON schemas of this dialect's bodies. What the server writes is closed; the members are those of the
// OSV schema, and `database_specific` is described too.

import type { Ref, Schema } from '../../http/openapi/model.ts';
import { ADVISORY_KINDS } from '../../index/columns.ts';
import { VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import * as s from '../schema-words.ts';
import { HELD_ECOSYSTEMS } from './ecosystems.ts';

const id = s.matching('^[A-Za-z0-9_:+-][A-Za-z0-9_.:+-]{0,99}$');
const instant = s.matching('^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$');
const token = s.matching('^[A-Za-z0-9_-]+$');
const fraction = { type: 'number', minimum: 0, maximum: 1 };

/** A list that is left out rather than empty. */
function filled(items: Schema | Ref): Schema {
  return s.list(items, { minItems: 1 });
}

const severity = filled(
  s.object({ type: s.oneOfWords(['CVSS_V2', 'CVSS_V3', 'CVSS_V4']), score: s.someText }),
);

const event = {
  oneOf: ['introduced', 'fixed', 'last_affected'].map((name) => s.object({ [name]: s.someText })),
};

const affected = s.object(
  {
    package: s.object({ ecosystem: s.oneOfWords(HELD_ECOSYSTEMS), name: s.someText, purl: s.someText }, [
      'purl',
    ]),
    severity,
    ranges: s.list(s.object({ type: s.oneOfWords(['SEMVER', 'ECOSYSTEM']), events: filled(event) })),
    versions: s.list(s.someText),
    ecosystem_specific: {
      type: 'object',
      description: 'Of Go: the affected packages and symbols, as the source has them.',
    },
    database_specific: s.object(
      {
        version_scheme: s.oneOfWords(VERSION_SCHEMES),
        fixed_in: filled(s.someText),
      },
      ['version_scheme', 'fixed_in'],
    ),
  },
  ['severity', 'ecosystem_specific', 'database_specific'],
);

const reference = s.object({
  type: s.oneOfWords([
    ...['ADVISORY', 'ARTICLE', 'DETECTION', 'DISCUSSION', 'EVIDENCE', 'FIX', 'GIT', 'INTRODUCED'],
    ...['PACKAGE', 'REPORT', 'WEB'],
  ]),
  url: s.uri,
});

const credit = s.object(
  { name: s.text, contact: filled(s.text), type: s.oneOfWords(['FINDER', 'REPORTER']) },
  ['contact'],
);

const databaseSpecific = s.object(
  {
    ids: filled(s.advisoryId),
    psids: filled(s.psid),
    kind: s.oneOfWords(ADVISORY_KINDS),
    vuln_type: s.text,
    cwe_ids: filled(s.matching('^CWE-\\d+$')),
    severity: s.described('The source’s own word.', s.someText),
    cvss_score: { type: 'number', minimum: 0, maximum: 10 },
    cvss_vector: s.described('One that the OSV schema does not accept.', s.text),
    is_exploited: s.flag,
    patch_priority: { type: 'integer', minimum: 1, maximum: 3 },
    epss: s.object({ score: fraction, percentile: fraction }),
    kev_date: s.matching('^\\d{4}-\\d\\d-\\d\\d$'),
    sources: filled(s.object(s.sourceMembers, ['notice', 'license', 'license_url'])),
    other_references: s.described('References that are not URIs.', filled(s.text)),
  },
  [
    ...['cwe_ids', 'severity', 'cvss_score', 'cvss_vector', 'epss', 'kev_date', 'sources'],
    'other_references',
  ],
);

const query = {
  type: 'object',
  properties: {
    version: s.nullableText,
    commit: s.nullableText,
    package: { type: ['object', 'null'], description: '`ecosystem` and `name`, or `purl`.' },
    page_token: s.described('`next_page_token` of the page before.', s.nullableText),
  },
};

const list = s.object({ vulns: filled(s.ref('OsvRecord')), next_page_token: token }, [
  'vulns',
  'next_page_token',
]);

export const schemas: { readonly [name: string]: Schema } = {
  OsvQuery: query,
  OsvBatchQuery: {
    type: 'object',
    properties: { queries: s.list(s.ref('OsvQuery')) },
  },
  OsvList: list,
  OsvBatchList: s.object(
    {
      results: s.list(
        s.object(
          {
            vulns: filled({ oneOf: [s.ref('OsvEntry'), s.ref('OsvRecord')] }),
            next_page_token: token,
          },
          ['vulns', 'next_page_token'],
        ),
      ),
    },
    ['results'],
  ),
  OsvEntry: s.object({ id, modified: instant }),
  OsvRecord: s.object(
    {
      schema_version: s.text,
      id,
      modified: instant,
      published: instant,
      withdrawn: instant,
      aliases: filled(s.someText),
      summary: s.text,
      details: s.text,
      severity,
      affected: filled(affected),
      references: s.list(reference),
      credits: filled(credit),
      database_specific: databaseSpecific,
    },
    ['withdrawn', 'aliases', 'details', 'severity', 'credits'],
  ),
};
