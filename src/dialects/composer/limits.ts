// What bounds the two questions, and the answers that say so.

import type { Answer } from '../../http/replies/responses.ts';
import { problem } from './problems.ts';

/** On the wire, and decoded. A project has hundreds of packages. */
export const MAX_BODY_BYTES = 1024 * 1024;
export const MAX_NAMES = 10_000;
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

export const TOO_LARGE_BODY = `A request has at most ${MAX_BODY_BYTES} bytes, decoded as well: ask for fewer packages.`;

export function tooManyPackages(): Answer {
  return problem('too_many_packages', `One request may name ${MAX_NAMES} packages, got more.`);
}

export function answerTooLarge(): Answer {
  return problem(
    'answer_too_large',
    `The answer would exceed ${MAX_OUTPUT_BYTES} bytes: ask for fewer packages.`,
  );
}
