// What all lists have in common: the parameters `platform`, `per_page` and `cursor`, and the block that leads
// to the next page.

import type { ParameterError } from '../../http/replies/problems.ts';
import { PLATFORMS, type Platform } from '../../index/product-type.ts';
import { cursorCodec } from '../cursor.ts';

/** Only tokens that this dialect has handed out are accepted. */
export const { encode: encodeCursor, decode: decodeCursor } = cursorCodec('v1:');

export const DEFAULT_PER_PAGE = 100;
const MAX_PER_PAGE = 500;

/** The platform; undefined with an entry in `errors` for an unknown one. */
export function readPlatform(text: string | undefined, errors: ParameterError[]): Platform | undefined {
  const platform = (text ?? PLATFORMS[0]).toLowerCase();
  if (isPlatform(platform)) return platform;
  errors.push({ parameter: 'platform', message: `must be one of ${PLATFORMS.join(', ')}` });
  return undefined;
}

/** A number out of bounds goes to `errors`. */
export function readPerPage(text: string | undefined, errors: ParameterError[]): number {
  const perPage = wholeNumber(text, DEFAULT_PER_PAGE);
  if (!(perPage >= 1 && perPage <= MAX_PER_PAGE)) {
    errors.push({ parameter: 'per_page', message: `must be a whole number from 1 to ${MAX_PER_PAGE}` });
  }
  return perPage;
}

/**
 * A page has the ids below this; Infinity for an absent or empty token, undefined for one that was never
 * handed out.
 */
export function readCursor(token: string | undefined): number | undefined {
  return token === undefined || token === '' ? Number.POSITIVE_INFINITY : decodeCursor(token);
}

/** The complaint about a token that `readCursor` does not know. */
export const BAD_CURSOR: ParameterError = {
  parameter: 'cursor',
  message: 'is not a cursor of this service; start again with an empty one',
};

/** The value of `cursor` in an answer; `nextBelow` is the last id of the page if another follows. */
export function cursorBlock(nextBelow: number | undefined, perPage: number): string {
  // A cursor is base64url: nothing in it needs escaping.
  const next = nextBelow === undefined ? null : `"${encodeCursor(nextBelow)}"`;
  return `{"next_cursor":${next},"has_more":${nextBelow !== undefined},"per_page":${perPage}}`;
}

/** Decimal digits as a number; NaN for anything else, and for what a double cannot represent exactly. */
export function wholeNumber(text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

function isPlatform(text: string): text is Platform {
  return (PLATFORMS as readonly string[]).includes(text);
}
