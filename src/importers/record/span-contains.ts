// Which versions a span of a feed record affects, for sources that must tell where a fix lies.

import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import type { FeedSpan } from './feed-schema.ts';

/** Requires: the key is of this scheme. A bound that is not a version of it counts as open. */
export function spanContains(
  { from_version: from, to_version: to, to_bound: toBound }: FeedSpan,
  key: Uint8Array,
  scheme: VersionScheme,
): boolean {
  const low = from === null ? undefined : versionKey(scheme, from);
  if (low !== undefined && compareKeys(key, low) < 0) return false;
  const high = to === null ? undefined : versionKey(scheme, to);
  if (high === undefined) return true;
  const order = compareKeys(key, high);
  return order < 0 || (order === 0 && toBound !== 'exclusive');
}
