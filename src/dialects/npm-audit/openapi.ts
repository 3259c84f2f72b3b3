// This dialect's part of the OpenAPI document: its description and components. operations.ts describes the
// routes.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Schema } from '../../http/openapi/model.ts';
import { SERVICE_PROBLEMS } from '../../http/replies/problems.ts';
import { errorObjectResponses } from '../error-object.ts';
import { KEY_SECURITY } from '../openapi-parts.ts';
import { problemDetails, problemSchema } from '../problem-details.ts';
import * as s from '../schema-words.ts';
import { NO_REGISTRY } from './problems.ts';
import { SEVERITIES } from './severity.ts';
import { MAX_PATHS } from './tree.ts';

const description = `**npm audit.** The bulk endpoint of npm's audit, and the two older ones, for npm, pnpm, yarn, bun and deno. Errors
are JSON with a sentence in \`error\`, which npm shows. A text that is not a version has no advisories; if its package has any, a header names it, which npm shows.`;

export const TAG = 'npm';
const severity = s.oneOfWords(SEVERITIES);
const cwe = s.list(s.matching('^CWE-\\d+$'));
const cvss = s.object({
  score: { type: 'number', minimum: 0, maximum: 10, description: '0 when there is no rating.' },
  vectorString: s.nullableText,
});
const range = s.described('A range that node-semver parses.', s.someText);

const schemas: { readonly [name: string]: Schema } = {
  NpmBulkRequest: {
    type: 'object',
    description: 'Versions by name.',
    additionalProperties: { type: 'array' },
  },
  NpmBulkAnswer: {
    type: 'object',
    description: 'By name; names without an advisory that applies are left out.',
    additionalProperties: s.listOfAtLeast(1, s.ref('NpmBulkAdvisory')),
  },
  NpmBulkAdvisory: s.object({
    id: s.advisoryId,
    url: s.text,
    title: s.text,
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
  NpmReport: s.object({
    actions: { type: 'array', maxItems: 0 },
    advisories: {
      type: 'object',
      description: 'By id.',
      propertyNames: { pattern: '^\\d+$' },
      additionalProperties: s.ref('NpmReportAdvisory'),
    },
    muted: { type: 'array', maxItems: 0 },
    metadata: s.object({
      vulnerabilities: s.described('Advisories by severity.', s.object(s.membersOf(SEVERITIES, s.count))),
      dependencies: s.count,
      devDependencies: s.count,
      optionalDependencies: s.count,
      totalDependencies: s.described('Each name and version counts once.', s.count),
    }),
  }),
  NpmReportAdvisory: s.object({
    id: s.advisoryId,
    findings: s.listOfAtLeast(
      1,
      s.object({
        version: s.text,
        paths: { type: 'array', minItems: 1, maxItems: MAX_PATHS, items: s.text },
        dev: s.flag,
        optional: s.flag,
      }),
    ),
    title: s.text,
    module_name: s.text,
    vulnerable_versions: range,
    patched_versions: s.described('`<0.0.0` when none is known.', range),
    severity,
    url: s.text,
    github_advisory_id: s.described('Empty when there is none.', s.text),
    cves: s.list(s.matching('^CVE-')),
    cwe,
    cvss,
    overview: s.text,
    recommendation: s.text,
    references: s.text,
    created: s.text,
    updated: s.text,
  }),
};

export const openApi: OpenApiPart = {
  description,
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'Audits by npm’s clients.' }],
  sharedResponses: errorObjectResponses,
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
              detail: s.exactly(NO_REGISTRY),
              error: s.exactly(NO_REGISTRY),
            }),
          },
        },
      },
    },
  },
};
