// The JSON schemas of this dialect's bodies. What the server writes is closed; the members are those of the OSV schema, and
// `database_specific` is described too.

import type { Ref, Schema } from '../../http/openapi/model.ts';
import { ADVISORY_KINDS } from '../../index/columns.ts';
import { VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import {
  advisoryId,
  closedObject,
  described,
  flag,
  listOf,
  matching,
  nullableText,
  oneOfWords,
  psid,
  schemaRef,
  someText,
  text,
  uri,
} from '../schema-words.ts';
import { HELD_ECOSYSTEMS } from './ecosystems.ts';

const id = matching('^[A-Za-z0-9_:+-][A-Za-z0-9_.:+-]{0,99}$');
const instant = matching('^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$');
const token = matching('^[A-Za-z0-9_-]+$');
const fraction = { type: 'number', minimum: 0, maximum: 1 };

/** A list that is left out rather than empty. */
function filled(items: Schema | Ref): Schema {
  return listOf(items, { minItems: 1 });
}

const severity = filled(
  closedObject({ type: oneOfWords(['CVSS_V2', 'CVSS_V3', 'CVSS_V4']), score: someText }),
);

const event = {
  oneOf: ['introduced', 'fixed', 'last_affected'].map((name) => closedObject({ [name]: someText })),
};

const affected = closedObject(
  {
    package: closedObject({ ecosystem: oneOfWords(HELD_ECOSYSTEMS), name: someText, purl: someText }, [
      'purl',
    ]),
    severity,
    ranges: filled(closedObject({ type: oneOfWords(['SEMVER', 'ECOSYSTEM']), events: filled(event) })),
    versions: listOf(text, { maxItems: 0 }),
    database_specific: closedObject(
      {
        version_scheme: oneOfWords(VERSION_SCHEMES),
        fixed_in: filled(someText),
      },
      ['version_scheme', 'fixed_in'],
    ),
  },
  ['severity', 'database_specific'],
);

const reference = closedObject({
  type: oneOfWords([
    ...['ADVISORY', 'ARTICLE', 'DETECTION', 'DISCUSSION', 'EVIDENCE', 'FIX', 'GIT', 'INTRODUCED'],
    ...['PACKAGE', 'REPORT', 'WEB'],
  ]),
  url: uri,
});

const credit = closedObject({ name: text, contact: filled(text), type: oneOfWords(['FINDER', 'REPORTER']) }, [
  'contact',
]);

const databaseSpecific = closedObject(
  {
    ids: filled(advisoryId),
    psids: filled(psid),
    kind: oneOfWords(ADVISORY_KINDS),
    vuln_type: text,
    cwe_ids: filled(matching('^CWE-\\d+$')),
    severity: described('The source’s own word.', someText),
    cvss_score: { type: 'number', minimum: 0, maximum: 10 },
    cvss_vector: described('One that the OSV schema does not accept.', text),
    is_exploited: flag,
    patch_priority: { type: 'integer', minimum: 1, maximum: 3 },
    epss: closedObject({ score: fraction, percentile: fraction }),
    kev_date: matching('^\\d{4}-\\d\\d-\\d\\d$'),
    sources: filled(
      closedObject({ name: text, notice: text, license: text, license_url: text }, [
        'notice',
        'license',
        'license_url',
      ]),
    ),
    other_references: described('References that are not URIs.', filled(text)),
  },
  [
    ...['cwe_ids', 'severity', 'cvss_score', 'cvss_vector', 'epss', 'kev_date', 'sources'],
    'other_references',
  ],
);

const query = {
  type: 'object',
  properties: {
    version: nullableText,
    commit: nullableText,
    package: { type: ['object', 'null'], description: '`ecosystem` and `name`, or `purl`.' },
    page_token: described('`next_page_token` of the page before.', nullableText),
  },
};

const list = closedObject({ vulns: filled(schemaRef('OsvRecord')), next_page_token: token }, [
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
            vulns: filled({ oneOf: [schemaRef('OsvEntry'), schemaRef('OsvRecord')] }),
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
      aliases: filled(someText),
      summary: text,
      details: text,
      severity,
      affected: filled(affected),
      references: listOf(reference),
      credits: filled(credit),
      database_specific: databaseSpecific,
    },
    ['withdrawn', 'aliases', 'details', 'severity', 'credits'],
  ),
};
