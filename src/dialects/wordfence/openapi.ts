// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Schema } from '../../http/openapi/model.ts';
import { dataResponse, keyedResponses, notModified, unknownPath } from '../error-object-openapi.ts';
import { closedObject, closedObjectOrNull } from '../openapi-parts.ts';
import type { Variant } from './record.ts';

const TAG = 'Wordfence feed';
const text: Schema = { type: 'string' };
const nullableText: Schema = { type: ['string', 'null'] };
const flag: Schema = { type: 'boolean' };
const texts: Schema = { type: 'array', items: text };

const instant: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' };

const software = {
  type: { type: 'string', enum: ['core', 'plugin', 'theme'] },
  name: text,
  slug: text,
  affected_versions: {
    type: 'object',
    minProperties: 1,
    additionalProperties: closedObject({
      from_version: { ...text, description: '`*` is an open end.' },
      from_inclusive: flag,
      to_version: { ...text, description: '`*` is an open end.' },
      to_inclusive: flag,
    }),
    description: 'By label, such as `* - 1.2.3` or `[1.0, 1.2.3)`.',
  },
  patched: flag,
  patched_versions: texts,
};

const copyrights: Schema = {
  type: 'object',
  properties: { message: text },
  additionalProperties: closedObject({ notice: text, license: text, license_url: text }),
};

const id: Schema = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
};

const production: Schema = closedObject({
  id,
  title: text,
  software: { type: 'array', minItems: 1, items: closedObject({ ...software, remediation: text }) },
  informational: flag,
  description: text,
  references: texts,
  cwe: closedObjectOrNull({ id: { type: 'integer' }, name: text, description: text }),
  cvss: closedObjectOrNull({ vector: text, score: { type: 'number' }, rating: text }),
  cve: nullableText,
  cve_link: nullableText,
  researchers: texts,
  published: instant,
  updated: { ...instant, type: ['string', 'null'] },
  copyrights,
});

const scanner: Schema = closedObject({
  id,
  title: text,
  software: { type: 'array', minItems: 1, items: closedObject(software) },
  informational: flag,
  references: texts,
  published: instant,
  copyrights,
});

const schemas: { readonly [name: string]: Schema } = {
  WordfenceProductionRecord: production,
  WordfenceScannerRecord: scanner,
};
const SCHEMA_NAMES: Readonly<Record<Variant, string>> = {
  production: 'WordfenceProductionRecord',
  scanner: 'WordfenceScannerRecord',
};
const WHAT: Readonly<Record<Variant, string>> = {
  production: 'Every published record about WordPress products, by uuid.',
  scanner: 'The same without what a scanner does not need.',
};

export function operationOf(variant: Variant): Operation {
  const feed: Schema = {
    type: 'object',
    additionalProperties: { $ref: `#/components/schemas/${SCHEMA_NAMES[variant]}` },
  };
  return {
    operationId: `getWordfence${variant === 'production' ? 'Production' : 'Scanner'}Feed`,
    summary: `Get the ${variant} feed`,
    description: `${WHAT[variant]} Made once per snapshot; after a swap, the feed of the previous snapshot is sent until the new one is ready. Ask for gzip.`,
    tags: [TAG],
    parameters: ['IfNoneMatch', 'RequestId'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: { '200': dataResponse('The feed.', feed), '304': notModified, ...keyedResponses(true) },
  };
}

export const openApi: OpenApiPart = {
  description:
    'Below `/wordfence` the feed of Wordfence Intelligence, version 3, from our data. Errors there are ' +
    '`{"error", "code", "request_id"}`.',
  security: [{ PSKey: [] }, { Bearer: [] }],
  tags: [{ name: TAG, description: 'Whole feeds for scanners that match versions themselves.' }],
  components: {
    schemas,
    headers: {},
    parameters: {},
    responses: { WordfenceNotFound: unknownPath },
    securitySchemes: {},
  },
};
