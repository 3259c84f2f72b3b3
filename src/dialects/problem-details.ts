// Errors as problem details (RFC 9457) in the OpenAPI document. http/replies/problems.ts renders them.

import type { ErrorFormat, Schema } from '../http/openapi/model.ts';
import { type ProblemKind, typeOf } from '../http/replies/problems.ts';

const text = { type: 'string', minLength: 1 };

/** One code: its status, title and type are fixed, so a reply that mixes two problems matches neither. */
function problemSchema(code: string, { status, title }: ProblemKind): Schema {
  return {
    type: 'object',
    properties: {
      type: { type: 'string', const: typeOf(code) },
      title: { type: 'string', const: title },
      status: { type: 'integer', const: status },
      detail: text,
      code: { type: 'string', const: code },
      request_id: text,
      ...(status === 422 ? { errors: PARAMETER_ERRORS } : {}),
      ...(code === 'ambiguous_id' ? { ids: SHARED_IDS } : {}),
      ...(code === 'unknown_snapshot' ? { snapshots: HELD_SNAPSHOTS } : {}),
    },
  };
}

const PARAMETER_ERRORS: Schema = {
  type: 'array',
  description: 'One entry per bad parameter.',
  minItems: 1,
  items: { type: 'object', properties: { parameter: text, message: text } },
};
const SHARED_IDS: Schema = {
  type: 'array',
  description: 'Numeric ids of the vulnerabilities that share the id asked for.',
  minItems: 2,
  items: { type: 'integer', minimum: 1 },
};
const HELD_SNAPSHOTS: Schema = {
  type: 'array',
  description: 'Ids of the snapshots that can be asked for, the live one first.',
  minItems: 1,
  items: { $ref: '#/components/schemas/SnapshotId' },
};

/** The name of a code's schema among the components. */
function problemName(code: string): string {
  const words = code.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `Problem${words.join('')}`;
}

/** The format of a dialect that has these problems, by code. */
export function problemDetails(kinds: Readonly<Record<string, ProblemKind>>): ErrorFormat {
  return {
    prefix: '',
    mediaType: 'application/problem+json',
    schema(codes) {
      const refs = codes.map((code) => ({ $ref: `#/components/schemas/${problemName(code)}` }));
      return refs.length === 1 ? refs[0] : { oneOf: refs };
    },
    schemas: Object.fromEntries(
      Object.entries(kinds).map(([code, kind]) => [problemName(code), problemSchema(code, kind)]),
    ),
  };
}
