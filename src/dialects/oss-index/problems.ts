// What is wrong with a request. No client shows more of a refusal than its status, and each then ends with an
// error: so one is sent only for what the client itself got wrong.

import type { ParameterError, ProblemKind } from '../../http/replies/problems.ts';
import { type Refusal, refuse } from '../../http/replies/responses.ts';
import { MAX_OUTPUT_BYTES } from '../batch-request.ts';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
const PROBLEMS = {
  invalid_body: { status: 400, title: 'Request body is not JSON' },
  invalid_coordinates: { status: 400, title: 'Invalid coordinates' },
  answer_too_large: { status: 413, title: 'Answer too large' },
} as const satisfies Record<string, ProblemKind>;

export function invalidBody(detail: string): Refusal {
  return refuse({ code: 'invalid_body', ...PROBLEMS.invalid_body, detail });
}

/** Refuses with an entry for each bad coordinate. Requires: at least one. */
export function invalidCoordinates(errors: readonly ParameterError[]): Refusal {
  const [{ parameter, message }] = errors;
  const more = errors.length === 1 ? '' : `, and ${errors.length - 1} more`;
  const detail = `${parameter}: ${message}${more}`;
  return refuse({ code: 'invalid_coordinates', ...PROBLEMS.invalid_coordinates, detail, errors });
}

export function answerTooLarge(): Refusal {
  const detail = `The answer has more than ${MAX_OUTPUT_BYTES} bytes: ask about fewer coordinates at once.`;
  return refuse({ code: 'answer_too_large', ...PROBLEMS.answer_too_large, detail });
}
