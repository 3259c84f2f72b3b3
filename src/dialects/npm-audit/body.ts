// What the bodies of all routes have in common: bounds, and reading a JSON object.

import type { Answer } from '../../http/replies/responses.ts';
import { problem } from './problems.ts';

/** On the wire, and decoded. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_NAMES = 20_000;
/** Of all names together. */
export const MAX_VERSIONS = 50_000;
/**
 * Commas, colons, brackets and braces. A body of short members takes JSON.parse a second for 8 MiB, while those that clients
 * send have one such character in ten or more.
 */
export const MAX_BULK_MARKS = 300_000;
export const MAX_TREE_MARKS = 1_000_000;
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

export const TOO_LARGE_BODY = `A request has at most ${MAX_BODY_BYTES} bytes, decoded as well: audit parts of the tree one after another.`;

export type JsonObject = Readonly<Record<string, unknown>>;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

const IS_MARK = new Uint8Array(256);
for (const mark of ',:[{') IS_MARK[mark.charCodeAt(0)] = 1;

/** Whether JSON.parse would have more to do than a request may ask for. */
export function hasMoreMarks(body: Uint8Array, most: number): boolean {
  if (body.length <= most) return false;
  let count = 0;
  for (let at = 0; at < body.length; at++) count += IS_MARK[body[at]];
  return count > most;
}

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

export function ofMarks(most: number): string {
  return `have ${most} commas, colons, brackets and braces`;
}

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
