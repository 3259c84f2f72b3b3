// This dialect's part of the OpenAPI document: its description and components. operations.ts describes the routes.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Schema } from '../../http/openapi/model.ts';
import { SERVICE_PROBLEMS, typeOf } from '../../http/replies/problems.ts';
import { closedObject, schemaRef } from '../openapi-parts.ts';
import { NO_REGISTRY } from './problems.ts';
import { SEVERITIES } from './severity.ts';
import { MAX_PATHS } from './tree.ts';

const description = `**npm audit.** The bulk endpoint of npm's audit, and the two older ones, for npm, pnpm, yarn, bun and deno. Errors
are JSON with a sentence in \`error\`, which npm shows. A text that is not a version is ignored: it has no advisories.`;

export const TAG = 'npm';
const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const advisoryId = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const severity = { type: 'string', enum: [...SEVERITIES] };
const cwe = { type: 'array', items: { type: 'string', pattern: '^CWE-\\d+$' } };
const cvss = closedObject({
  score: { type: 'number', minimum: 0, maximum: 10, description: '0 when there is no rating.' },
  vectorString: { type: ['string', 'null'] },
});
const range = { ...text, minLength: 1, description: 'A range that node-semver parses.' };

const schemas: { readonly [name: string]: Schema } = {
  NpmBulkRequest: {
    type: 'object',
    description: 'Versions by name. What is not a version is ignored.',
    additionalProperties: { type: 'array' },
  },
  NpmBulkAnswer: {
    type: 'object',
    description: 'By name; names without an advisory that applies are left out.',
    additionalProperties: { type: 'array', minItems: 1, items: schemaRef('NpmBulkAdvisory') },
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
      vulnerabilities: {
        ...closedObject(Object.fromEntries(SEVERITIES.map((word) => [word, count]))),
        description: 'Advisories by severity.',
      },
      dependencies: count,
      devDependencies: count,
      optionalDependencies: count,
      totalDependencies: { ...count, description: 'Each name and version counts once.' },
    }),
  }),
  NpmReportAdvisory: closedObject({
    id: advisoryId,
    findings: {
      type: 'array',
      minItems: 1,
      items: closedObject({
        version: text,
        paths: { type: 'array', minItems: 1, maxItems: MAX_PATHS, items: text },
        dev: { type: 'boolean' },
        optional: { type: 'boolean' },
      }),
    },
    title: text,
    module_name: text,
    vulnerable_versions: range,
    patched_versions: { ...range, description: '`<0.0.0` when none is known.' },
    severity,
    url: text,
    github_advisory_id: { ...text, description: 'Empty when there is none.' },
    cves: { type: 'array', items: { type: 'string', pattern: '^CVE-' } },
    cwe,
    cvss,
    overview: text,
    recommendation: text,
    references: text,
    created: text,
    updated: text,
  }),
};

const components: OpenApiPart['components'] = {
  schemas,
  headers: {},
  parameters: {},
  responses: {
    NpmAuditNotFound: {
      description:
        'Below the mount of npm, without a registry behind this server: what every path outside this document answers. ' +
        '`error` is for npm, which shows it.',
      content: {
        'application/problem+json': {
          schema: closedObject({
            type: { type: 'string', const: typeOf('not_found') },
            title: { type: 'string', const: SERVICE_PROBLEMS.not_found.title },
            status: { type: 'integer', const: SERVICE_PROBLEMS.not_found.status },
            detail: { type: 'string', const: NO_REGISTRY },
            code: { type: 'string', const: 'not_found' },
            request_id: { type: 'string', minLength: 1 },
            error: { type: 'string', const: NO_REGISTRY },
          }),
        },
      },
    },
  },
  securitySchemes: {},
};

export const openApi: OpenApiPart = {
  description,
  security: [{ PSKey: [] }, { Bearer: [] }],
  tags: [{ name: TAG, description: 'Audits by npm’s clients.' }],
  components,
};
