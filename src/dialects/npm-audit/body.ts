// What the bodies of all routes have in common: bounds, and reading a JSON object.

import type { Answer } from '../../http/responses.ts';
import { problem } from './problems.ts';

/** On the wire, and decoded. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_NAMES = 20_000;
/** Of all names together. A tree of this size has a few hundred names with several versions. */
export const MAX_VERSIONS = 50_000;
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

export const TOO_LARGE_BODY = `A request has at most ${MAX_BODY_BYTES} bytes, decoded as well: audit parts of the tree one after another.`;

export type JsonObject = Readonly<Record<string, unknown>>;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The object in the body; undefined if it is not JSON or not an object. */
export function readObject(body: Uint8Array): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(strictUtf8.decode(body));
  } catch {
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function tooManyNames(count: number): Answer {
  return problem(
    'too_many_packages',
    `One request may name ${MAX_NAMES} packages, got ${count}: audit parts of the tree one after another.`,
  );
}

export function tooManyVersions(): Answer {
  return problem(
    'too_many_packages',
    `One request may ask for ${MAX_VERSIONS} versions in all: audit parts of the tree one after another.`,
  );
}

export function answerTooLarge(): Answer {
  return problem(
    'answer_too_large',
    `The answer would exceed ${MAX_OUTPUT_BYTES} bytes: audit parts of the tree one after another.`,
  );
}
