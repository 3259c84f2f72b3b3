// What the bodies of all routes have in common: their bounds, and the refusals beyond them.

import type { Answer } from '../../http/replies/responses.ts';
import { problem } from './problems.ts';

/** On the wire, and decoded. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_NAMES = 20_000;
/** Of all names together. */
export const MAX_VERSIONS = 50_000;
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

export const TOO_LARGE_BODY = `A request has at most ${MAX_BODY_BYTES} bytes, decoded as well: audit parts of the tree one after another.`;

/** `what` says which limit, after "may". */
export function tooManyPackages(what: string): Answer {
  return problem(
    'too_many_packages',
    `One request may ${what}, got more: audit parts of the tree one after another.`,
  );
}

export function answerTooLarge(): Answer {
  return problem(
    'answer_too_large',
    `The answer would exceed ${MAX_OUTPUT_BYTES} bytes: audit parts of the tree one after another.`,
  );
}
