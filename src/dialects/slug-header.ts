// A list of slugs in a header, whatever they contain: percent-encoded, and cut at a length that every client
// accepts.

import type { ReplyHeader } from '../http/replies/reply-headers.ts';

const MAX_BYTES = 1024;
const CUT = '+more';
/** Nothing else is encoded to it, and no list is empty. */
const EMPTY = '""';

/** No header for no slugs. A list that is cut ends in `+more`, which no slug is encoded to. */
export function slugHeader(name: string, slugs: readonly string[]): readonly ReplyHeader[] {
  return slugs.length === 0 ? [] : [[name, listOf(new Set(slugs), encodeURIComponent)]];
}

/** Slugs, encoded by `encode`, as far as a header may be long. */
export function listOf(slugs: Iterable<string>, encode: (slug: string) => string): string {
  let value = '';
  for (const slug of slugs) {
    const next = slug === '' ? EMPTY : encode(Buffer.from(slug).toString()); // half a surrogate pair would throw
    if (value.length + next.length > MAX_BYTES) {
      value += value === '' ? CUT : `, ${CUT}`;
      break;
    }
    value += value === '' ? next : `, ${next}`;
  }
  return value;
}
