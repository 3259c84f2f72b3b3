// One closed schema per problem code, derived from the problem list. It fixes the code's status, title and type, so a
// reply that mixes two problems matches neither.

import type { MediaType, Ref, Schema } from '../../../http/openapi/model.ts';
import { typeOf } from '../../../http/replies/problems.ts';
import { closedObject, schemaRef } from '../../openapi-parts.ts';
import { PROBLEM_CODES, type ProblemCode, statusOf, titleOf } from '../problems.ts';
import { SNAPSHOT_ID } from './schema-parts.ts';

const parameterErrors = {
  type: 'array',
  minItems: 1,
  items: closedObject({
    parameter: { type: 'string', minLength: 1 },
    message: { type: 'string', minLength: 1 },
  }),
  description: 'One entry per bad parameter.',
};

const sharedIds = {
  type: 'array',
  minItems: 2,
  items: { type: 'integer', minimum: 1 },
  description: 'Numeric ids of the vulnerabilities that share the id asked for.',
};

const heldSnapshots = {
  type: 'array',
  minItems: 1,
  items: { type: 'string', pattern: SNAPSHOT_ID },
  description: 'Ids of the snapshots that can be asked for, the live one first.',
};

function schemaName(code: ProblemCode): string {
  const words = code.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `Problem${words.join('')}`;
}

function problemSchema(code: ProblemCode): Schema {
  return closedObject({
    type: { type: 'string', const: typeOf(code) },
    title: { type: 'string', const: titleOf(code) },
    status: { type: 'integer', const: statusOf(code) },
    detail: { type: 'string', minLength: 1 },
    code: { type: 'string', const: code },
    request_id: { type: 'string', minLength: 1 },
    ...(statusOf(code) === 422 ? { errors: parameterErrors } : {}),
    ...(code === 'ambiguous_id' ? { ids: sharedIds } : {}),
    ...(code === 'unknown_snapshot' ? { snapshots: heldSnapshots } : {}),
  });
}

export const problemSchemas: { readonly [name: string]: Schema } = Object.fromEntries(
  PROBLEM_CODES.map((code) => [schemaName(code), problemSchema(code)]),
);

function oneOfCodes(codes: readonly ProblemCode[]): Schema | Ref {
  const refs = codes.map((code) => schemaRef(schemaName(code)));
  return refs.length === 1 ? refs[0] : { oneOf: refs };
}

/** The `content` of a response that is one of these problems. */
export function problemContent(
  codes: readonly ProblemCode[],
  examples?: MediaType['examples'],
): { readonly [mediaType: string]: MediaType } {
  const schema = oneOfCodes(codes);
  return { 'application/problem+json': examples === undefined ? { schema } : { schema, examples } };
}
