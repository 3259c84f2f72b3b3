// One schema per problem code, derived from the problem list.

import type { Schema } from '../../../http/openapi/model.ts';
import { problemName, problemSchema } from '../../problem-details.ts';
import { PROBLEMS } from '../../request-problems.ts';
import * as s from '../../schema-words.ts';
import { PROBLEM_CODES, type ProblemCode } from '../problems.ts';

const parameterErrors = s.described(
  'One entry per bad parameter.',
  s.listOfAtLeast(1, s.object({ parameter: s.someText, message: s.someText })),
);
const sharedIds = s.described(
  'Numeric ids of the vulnerabilities that share the id asked for.',
  s.listOfAtLeast(2, s.positive),
);
const heldSnapshots = s.described(
  'Ids of the snapshots that can be asked for, the live one first.',
  s.listOfAtLeast(1, s.snapshotId),
);

function schemaOf(code: ProblemCode): Schema {
  const kind = PROBLEMS[code];
  return problemSchema(code, kind, {
    ...(kind.status === 422 ? { errors: parameterErrors } : {}),
    ...(code === 'ambiguous_id' ? { ids: sharedIds } : {}),
    ...(code === 'unknown_snapshot' ? { snapshots: heldSnapshots } : {}),
  });
}

export const problemSchemas: { readonly [name: string]: Schema } = Object.fromEntries(
  PROBLEM_CODES.map((code) => [problemName(code), schemaOf(code)]),
);
