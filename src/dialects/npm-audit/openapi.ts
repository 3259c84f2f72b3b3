// This dialect's part of the OpenAPI document: its description and components. operations.ts describes the routes.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Header, Ref, Response, Schema } from '../../http/openapi/model.ts';
import { SERVICE_PROBLEMS, type ServiceProblemCode, typeOf } from '../../http/problems.ts';
import { headers as sharedHeaders } from '../patchstack/openapi/responses.ts';
import { closedObject } from '../patchstack/openapi/schemas.ts';
import { NO_REGISTRY, type OwnProblemCode } from './problems.ts';
import { SEVERITIES } from './severity.ts';
import { MAX_PATHS } from './tree.ts';

const description = `**npm audit.** The bulk endpoint of npm's audit, and the two older ones, for npm, pnpm, yarn, bun and deno. Errors
are JSON with a sentence in \`error\`, which npm shows. A text that is not a version is ignored: it has no advisories.`;

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

function schemaRef(name: string): Ref {
  return { $ref: `#/components/schemas/${name}` };
}

function headerRef(name: string): Ref {
  return { $ref: `#/components/headers/${name}` };
}

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

/** An answer to a caller who got past the rate limit. */
const limitHeaders = {
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
  Warning: headerRef('Warning'),
};

export function answer(description: string, schema: string): Response {
  return {
    description,
    headers: {
      'X-Request-Id': headerRef('EchoedRequestId'),
      ETag: headerRef('ETag'),
      'Cache-Control': headerRef('CacheControl'),
      ...limitHeaders,
    },
    content: { 'application/json': { schema: schemaRef(schema) } },
  };
}

type Code = OwnProblemCode | ServiceProblemCode;

function refusal(
  description: string,
  codes: readonly Code[],
  more: { readonly [name: string]: Ref } = {},
): Response {
  const schema = closedObject({
    error: { type: 'string', minLength: 1 },
    code: { type: 'string', enum: [...codes] },
    request_id: { type: 'string', minLength: 1 },
  });
  return {
    description,
    headers: { 'X-Request-Id': headerRef('RequestId'), ...more },
    content: { 'application/json': { schema } },
  };
}

const headers: { readonly [name: string]: Header } = {
  ...sharedHeaders,
  NpmAcceptEncoding: {
    description: 'The content codings that a body may have.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
};

const responses: { readonly [name: string]: Response } = {
  NpmAuditNotFound: {
    description: `Below the mount of npm, without a registry behind this server: what every path outside this document answers. The body has npm’s \`error\` too.`,
    headers: { 'X-Request-Id': headerRef('RequestId') },
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
  NpmInvalidBody: refusal(
    'The body does not decode, or is not what the endpoint takes.',
    ['invalid_body', 'invalid_encoding'],
    limitHeaders,
  ),
  NpmUnauthenticated: refusal(
    'No key, or one that is unknown, expired or disabled.',
    ['missing_key', 'invalid_key'],
    { 'WWW-Authenticate': headerRef('WwwAuthenticate') },
  ),
  NpmForbidden: refusal('The key’s tier does not include this endpoint.', ['forbidden_endpoint']),
  NpmMethodNotAllowed: refusal('What every other method on this path answers.', ['method_not_allowed'], {
    Allow: headerRef('Allow'),
  }),
  NpmTooLarge: refusal(
    'The body, the number of packages or the answer would be too large: audit parts of the tree.',
    ['body_too_large', 'too_many_packages', 'answer_too_large'],
    limitHeaders,
  ),
  NpmUnsupportedEncoding: refusal(
    'The body has a content coding that is not known.',
    ['unsupported_encoding'],
    {
      'Accept-Encoding': headerRef('NpmAcceptEncoding'),
    },
  ),
  NpmRateLimited: refusal('The key’s quota, or its burst, is used up.', ['rate_limited'], {
    'Retry-After': headerRef('RetryAfter'),
    RateLimit: headerRef('SpentRateLimit'),
    'RateLimit-Policy': headerRef('SpentRateLimitPolicy'),
    Warning: headerRef('Warning'),
  }),
  NpmInternalError: refusal('A fault of the server; quote `request_id` when reporting it.', [
    'internal_error',
  ]),
  NpmUnavailable: refusal(
    'No data is loaded yet, or the server is shutting down. Try again, or another replica.',
    ['no_snapshot', 'draining'],
    { 'Retry-After': headerRef('RetryAfter') },
  ),
};

export const openApi: OpenApiPart = {
  description,
  security: [{ PSKey: [] }, { Bearer: [] }],
  tags: [{ name: 'npm', description: 'Audits by npm’s clients.' }],
  components: { schemas, headers, parameters: {}, responses, securitySchemes: {} },
};
