// The shape of the answers that a mirror reads: pages of /all, lookups of products. Anything else is an error
// that shows what came.

import { excerpt, HttpError, shownUrl } from '../../download/http-error.ts';
import { isObject, type JsonObject } from '../record/json.ts';

export interface Page {
  readonly items: readonly JsonObject[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** Where a body came from, for messages. */
export interface Origin {
  readonly url: URL;
  readonly type: string;
  readonly secrets: readonly string[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A page in cursor mode. Throws HttpError. */
export function readPage(body: Uint8Array, origin: Origin): Page {
  const value = parse(body, origin);
  const items = isObject(value) ? value.vulnerabilities : undefined;
  const cursor = isObject(value) ? value.cursor : undefined;
  if (!isItems(items) || !isObject(cursor)) {
    throw unusable(body, origin, 'is not a page with "vulnerabilities" and "cursor"');
  }
  const { has_more: hasMore, next_cursor: next } = cursor;
  if (typeof hasMore !== 'boolean' || (hasMore && (typeof next !== 'string' || next === ''))) {
    throw unusable(body, origin, 'has a cursor without "has_more" and "next_cursor"');
  }
  if (hasMore && items.length === 0) throw unusable(body, origin, 'is empty and says that there is more');
  return { items, next: hasMore ? (next as string) : undefined }; // a string, as checked above
}

/**
 * One product's result in a batch: the ids of its advisories, or undefined if the server could not answer it.
 */
export type BatchResult = readonly number[] | undefined;

/** The results of a batch, one for each of `count` products. Throws HttpError. */
export function readBatch(body: Uint8Array, origin: Origin, count: number): BatchResult[] {
  const value = parse(body, origin);
  if (!Array.isArray(value) || value.length !== count) {
    throw unusable(body, origin, `is not a list with ${count} results`);
  }
  return value.map((result: unknown) => {
    const items = isObject(result) ? result.vulnerabilities : undefined;
    return isItems(items) ? idsOf(items, body, origin) : undefined;
  });
}

/** The ids in the answer to a lookup of one product. Throws HttpError. */
export function readLookup(body: Uint8Array, origin: Origin): readonly number[] {
  const value = parse(body, origin);
  const items = isObject(value) ? value.vulnerabilities : undefined;
  if (!isItems(items)) throw unusable(body, origin, 'is not a lookup with "vulnerabilities"');
  return idsOf(items, body, origin);
}

function idsOf(items: readonly JsonObject[], body: Uint8Array, origin: Origin): number[] {
  return items.map(({ id }) => {
    if (typeof id !== 'number') throw unusable(body, origin, 'has an advisory without a number as its "id"');
    return id;
  });
}

function parse(body: Uint8Array, origin: Origin): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw unusable(body, origin, 'is not JSON');
  }
}

function unusable(body: Uint8Array, { url, type, secrets }: Origin, problem: string): HttpError {
  const shown = excerpt(body, secrets);
  const begins = shown === '' ? 'it is empty' : `it begins with: ${shown}`;
  return new HttpError(
    'unusable',
    `${shownUrl(url)}: the answer (${type}) ${problem}; ${begins}; check that the URL is the base of this API`,
  );
}

function isItems(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}
