// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Schema } from '../../http/openapi/model.ts';
import { errorObject, errorObjectResponses, unknownPath } from '../error-object.ts';
import { dataResponse, KEY_SECURITY, parameterRefs } from '../openapi-parts.ts';
import { notYetPrepared } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';
import type { Variant } from './record.ts';

const TAG = 'Wordfence feed';
const bound = s.described('`*` is an open end.', s.text);

const software = {
  type: s.oneOfWords(['core', 'plugin', 'theme']),
  name: s.text,
  slug: s.text,
  affected_versions: {
    type: 'object',
    minProperties: 1,
    additionalProperties: s.object({
      from_version: bound,
      from_inclusive: s.flag,
      to_version: bound,
      to_inclusive: s.flag,
    }),
    description: 'By label, such as `* - 1.2.3` or `[1.0, 1.2.3)`.',
  },
  patched: s.flag,
  patched_versions: s.texts,
};

const copyrights: Schema = {
  type: 'object',
  properties: { message: s.text },
  additionalProperties: s.object({ notice: s.text, license: s.text, license_url: s.text }),
};

const id = s.matching('^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$');

const production: Schema = s.object({
  id,
  title: s.text,
  software: s.listOfAtLeast(1, s.object({ ...software, remediation: s.text })),
  informational: s.flag,
  description: s.text,
  references: s.texts,
  cwe: s.objectOrNull({ id: s.integer, name: s.text, description: s.text }),
  cvss: s.objectOrNull({ vector: s.text, score: { type: 'number' }, rating: s.text }),
  cve: s.nullableText,
  cve_link: s.nullableText,
  researchers: s.texts,
  published: s.phpInstant,
  updated: { ...s.phpInstant, type: ['string', 'null'] },
  copyrights,
});

const scanner: Schema = s.object({
  id,
  title: s.text,
  software: s.listOfAtLeast(1, s.object(software)),
  informational: s.flag,
  references: s.texts,
  published: s.phpInstant,
  copyrights,
});

const WHAT: Readonly<Record<Variant, string>> = {
  production: 'Every published record about WordPress products, by uuid.',
  scanner: 'The same without what a scanner does not need.',
};

export function operationOf(variant: Variant): Operation {
  const name = variant === 'production' ? 'Production' : 'Scanner';
  const feed: Schema = { type: 'object', additionalProperties: s.ref(`Wordfence${name}Record`) };
  return {
    operationId: `getWordfence${name}Feed`,
    summary: `Get the ${variant} feed`,
    description: `${WHAT[variant]} Made once per snapshot; after a swap, the feed of the previous snapshot is sent until the new one is ready. Ask for gzip.`,
    tags: [TAG],
    parameters: parameterRefs('IfNoneMatch', 'RequestId'),
    responses: {
      '200': dataResponse('The feed.', feed),
      '503': notYetPrepared(errorObject),
    },
  };
}

export const openApi: OpenApiPart = {
  description:
    'Below `/wordfence` the feed of Wordfence Intelligence, version 3, from our data. Errors there are ' +
    '`{"error", "code", "request_id"}`.',
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'Whole feeds for scanners that match versions themselves.' }],
  sharedResponses: errorObjectResponses,
  components: {
    schemas: { WordfenceProductionRecord: production, WordfenceScannerRecord: scanner },
    responses: { WordfenceNotFound: unknownPath },
  },
};
