// One schema per problem code, derived from the problem list.

import type { Schema } from '../../../http/openapi/model.ts';
import { problemName, problemSchema } from '../../problem-details.ts';
import { PROBLEMS } from '../../request-problems.ts';
import {
  closedObject,
  described,
  listOfAtLeast,
  positive,
  snapshotId,
  someText,
} from '../../schema-words.ts';
import { PROBLEM_CODES, type ProblemCode } from '../problems.ts';

const parameterErrors = described(
  'One entry per bad parameter.',
  listOfAtLeast(1, closedObject({ parameter: someText, message: someText })),
);
const sharedIds = described(
  'Numeric ids of the vulnerabilities that share the id asked for.',
  listOfAtLeast(2, positive),
);
const heldSnapshots = described(
  'Ids of the snapshots that can be asked for, the live one first.',
  listOfAtLeast(1, snapshotId),
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
