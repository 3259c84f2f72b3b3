// The errors of this dialect. Composer prints the member `warning` of any reply of its repositories.

import type { ErrorFormat } from '../../http/openapi/model.ts';
import type { ProblemKind, RenderError } from '../../http/replies/problems.ts';
import { type Refusal, refuse } from '../../http/replies/responses.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
const OWN_PROBLEMS = {
  invalid_body: { status: 400, title: 'Request body is not a question' },
  unsupported_parameter: { status: 400, title: 'Parameter not supported' },
  too_many_packages: { status: 413, title: 'Too many packages' },
  answer_too_large: { status: 413, title: 'Answer too large' },
} as const satisfies Record<string, ProblemKind>;

export function problem(code: keyof typeof OWN_PROBLEMS, detail: string): Refusal {
  return refuse({ code, ...OWN_PROBLEMS[code], detail });
}

const ABSENT = 'not_found';

/** Without a warning for absent paths: every package of an update asks for its file, which is not there. */
export const renderError: RenderError = (problem, requestId) =>
  renderErrorObject(
    problem.code === ABSENT
      ? problem
      : { ...problem, members: { ...problem.members, warning: problem.detail } },
    requestId,
  );

export const composerError: ErrorFormat = {
  prefix: 'Composer',
  mediaType: errorObject.mediaType,
  schema(codes) {
    const schema = errorObject.schema(codes);
    if (codes.includes(ABSENT) || '$ref' in schema) return schema;
    const { properties, required } = schema as { properties: object; required: readonly string[] };
    const description = 'The same sentence, which Composer prints.';
    const warning = { type: 'string', minLength: 1, description };
    return { ...schema, properties: { ...properties, warning }, required: [...required, 'warning'] };
  },
};
