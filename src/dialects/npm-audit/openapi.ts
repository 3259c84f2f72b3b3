// This dialect's part of the OpenAPI document: its description and components. operations.ts describes the routes.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Schema } from '../../http/openapi/model.ts';
import { SERVICE_PROBLEMS } from '../../http/replies/problems.ts';
import { errorObject } from '../error-object.ts';
import { KEY_SECURITY } from '../openapi-parts.ts';
import { serviceRefusals } from '../openapi-refusals.ts';
import { problemDetails, problemSchema } from '../problem-details.ts';
import {
  advisoryId,
  closedObject,
  count,
  described,
  exactly,
  flag,
  listOf,
  listOfAtLeast,
  matching,
  membersOf,
  nullableText,
  oneOfWords,
  schemaRef,
  someText,
  text,
} from '../schema-words.ts';
import { NO_REGISTRY } from './problems.ts';
import { SEVERITIES } from './severity.ts';
import { MAX_PATHS } from './tree.ts';

const description = `**npm audit.** The bulk endpoint of npm's audit, and the two older ones, for npm, pnpm, yarn, bun and deno. Errors
are JSON with a sentence in \`error\`, which npm shows. A text that is not a version is ignored: it has no advisories.`;

export const TAG = 'npm';
const severity = oneOfWords(SEVERITIES);
const cwe = listOf(matching('^CWE-\\d+$'));
const cvss = closedObject({
  score: { type: 'number', minimum: 0, maximum: 10, description: '0 when there is no rating.' },
  vectorString: nullableText,
});
const range = described('A range that node-semver parses.', someText);

const schemas: { readonly [name: string]: Schema } = {
  NpmBulkRequest: {
    type: 'object',
    description: 'Versions by name. What is not a version is ignored.',
    additionalProperties: { type: 'array' },
  },
  NpmBulkAnswer: {
    type: 'object',
    description: 'By name; names without an advisory that applies are left out.',
    additionalProperties: listOfAtLeast(1, schemaRef('NpmBulkAdvisory')),
  },
  NpmBulkAdvisory: closedObject({
    id: advisoryId,
    url: text,
    title: text,
    severity,
    vulnerable_versions: range,
    cwe,
    cvss,
  }),
  NpmTree: {
    type: 'object',
    description:
      'As npm’s or pnpm’s clients write it. In pnpm’s, the first level are the packages of the workspace.',
    properties: { requires: { type: 'object' }, dependencies: { type: 'object' } },
  },
  NpmReport: closedObject({
    actions: { type: 'array', maxItems: 0 },
    advisories: {
      type: 'object',
      description: 'By id.',
      propertyNames: { pattern: '^\\d+$' },
      additionalProperties: schemaRef('NpmReportAdvisory'),
    },
    muted: { type: 'array', maxItems: 0 },
    metadata: closedObject({
      vulnerabilities: described('Advisories by severity.', closedObject(membersOf(SEVERITIES, count))),
      dependencies: count,
      devDependencies: count,
      optionalDependencies: count,
      totalDependencies: described('Each name and version counts once.', count),
    }),
  }),
  NpmReportAdvisory: closedObject({
    id: advisoryId,
    findings: listOfAtLeast(
      1,
      closedObject({
        version: text,
        paths: { type: 'array', minItems: 1, maxItems: MAX_PATHS, items: text },
        dev: flag,
        optional: flag,
      }),
    ),
    title: text,
    module_name: text,
    vulnerable_versions: range,
    patched_versions: described('`<0.0.0` when none is known.', range),
    severity,
    url: text,
    github_advisory_id: described('Empty when there is none.', text),
    cves: listOf(matching('^CVE-')),
    cwe,
    cvss,
    overview: text,
    recommendation: text,
    references: text,
    created: text,
    updated: text,
  }),
};

export const openApi: OpenApiPart = {
  description,
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'Audits by npm’s clients.' }],
  refusals: serviceRefusals(errorObject),
  components: {
    schemas,
    responses: {
      NpmAuditNotFound: {
        description:
          'Below the mount of npm, without a registry behind this server: what every path outside this document answers. ' +
          '`error` is for npm, which shows it.',
        content: {
          [problemDetails.mediaType]: {
            schema: problemSchema('not_found', SERVICE_PROBLEMS.not_found, {
              detail: exactly(NO_REGISTRY),
              error: exactly(NO_REGISTRY),
            }),
          },
        },
      },
    },
  },
};
