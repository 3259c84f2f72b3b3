// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Schema } from '../../http/openapi/model.ts';
import { errorObject, unknownPath } from '../error-object.ts';
import { dataResponse, KEY_SECURITY, notModified, parameterRefs } from '../openapi-parts.ts';
import { notYetPrepared, serviceRefusals } from '../openapi-refusals.ts';
import {
  closedObject,
  closedObjectOrNull,
  described,
  flag,
  integer,
  listOfAtLeast,
  matching,
  nullableText,
  oneOfWords,
  phpInstant,
  schemaRef,
  text,
  texts,
} from '../schema-words.ts';
import type { Variant } from './record.ts';

const TAG = 'Wordfence feed';
const bound = described('`*` is an open end.', text);

const software = {
  type: oneOfWords(['core', 'plugin', 'theme']),
  name: text,
  slug: text,
  affected_versions: {
    type: 'object',
    minProperties: 1,
    additionalProperties: closedObject({
      from_version: bound,
      from_inclusive: flag,
      to_version: bound,
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

const id = matching('^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$');

const production: Schema = closedObject({
  id,
  title: text,
  software: listOfAtLeast(1, closedObject({ ...software, remediation: text })),
  informational: flag,
  description: text,
  references: texts,
  cwe: closedObjectOrNull({ id: integer, name: text, description: text }),
  cvss: closedObjectOrNull({ vector: text, score: { type: 'number' }, rating: text }),
  cve: nullableText,
  cve_link: nullableText,
  researchers: texts,
  published: phpInstant,
  updated: { ...phpInstant, type: ['string', 'null'] },
  copyrights,
});

const scanner: Schema = closedObject({
  id,
  title: text,
  software: listOfAtLeast(1, closedObject(software)),
  informational: flag,
  references: texts,
  published: phpInstant,
  copyrights,
});

const WHAT: Readonly<Record<Variant, string>> = {
  production: 'Every published record about WordPress products, by uuid.',
  scanner: 'The same without what a scanner does not need.',
};

export function operationOf(variant: Variant): Operation {
  const name = variant === 'production' ? 'Production' : 'Scanner';
  const feed: Schema = { type: 'object', additionalProperties: schemaRef(`Wordfence${name}Record`) };
  return {
    operationId: `getWordfence${name}Feed`,
    summary: `Get the ${variant} feed`,
    description: `${WHAT[variant]} Made once per snapshot; after a swap, the feed of the previous snapshot is sent until the new one is ready. Ask for gzip.`,
    tags: [TAG],
    parameters: parameterRefs('IfNoneMatch', 'RequestId'),
    responses: {
      '200': dataResponse('The feed.', feed),
      '304': notModified,
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
  refusals: serviceRefusals(errorObject),
  components: {
    schemas: { WordfenceProductionRecord: production, WordfenceScannerRecord: scanner },
    responses: { WordfenceNotFound: unknownPath },
  },
};
