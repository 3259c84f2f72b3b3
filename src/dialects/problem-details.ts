// Errors as problem details (RFC 9457) in the OpenAPI document. http/replies/problems.ts renders them.

import type { Schema } from '../http/openapi/model.ts';
import { type ProblemKind, typeOf } from '../http/replies/problems.ts';
import type { ErrorFormat } from './openapi-refusals.ts';
import * as s from './schema-words.ts';

/** One code: its status, title and type are fixed, so a reply that mixes two problems matches neither. */
export function problemSchema(code: string, { status, title }: ProblemKind, more: s.Members = {}): Schema {
  return s.object({
    type: s.exactly(typeOf(code)),
    title: s.exactly(title),
    status: { type: 'integer', const: status },
    detail: s.someText,
    code: s.exactly(code),
    request_id: s.someText,
    ...more,
  });
}

/** The name of a code's schema among the components of the contract. */
export function problemName(code: string): string {
  const words = code.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `Problem${words.join('')}`;
}

/** Refers to the components of the contract. */
export const problemDetails: ErrorFormat = {
  mediaType: 'application/problem+json',
  schema(codes) {
    const refs = codes.map((code) => s.ref(problemName(code)));
    return refs.length === 1 ? refs[0] : { oneOf: refs };
  },
};
