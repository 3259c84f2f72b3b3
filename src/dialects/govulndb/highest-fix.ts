// The version that clears a module of a record, as the index tells it. A client leaves out what it has fixed,
// without reading the record: so there is none where a higher version is affected again.

import { compareKeys, getVersionKey } from '../../index/versions/version-key.ts';
import type { OsvEvent } from '../osv/ranges.ts';

/** The highest end of the ranges; undefined if one of them is open. Requires: ascending events. */
export function highestFix(ranges: readonly (readonly OsvEvent[])[]): string | undefined {
  let highest: { readonly text: string; readonly key: Uint8Array } | undefined;
  for (const events of ranges) {
    const last = events.at(-1);
    if (last === undefined || !('fixed' in last)) return undefined;
    const key = getVersionKey('golang', last.fixed);
    if (highest === undefined || compareKeys(highest.key, key) < 0) highest = { text: last.fixed, key };
  }
  return highest?.text;
}
