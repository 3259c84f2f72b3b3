// What a look-up's body cannot say, said in headers: types of which the snapshot has no advisory at all,
// where an empty answer means nothing, and the part of a version that advisories are not about.

import type { Problem } from '../http/replies/problems.ts';
import { NO_HEADERS, type ReplyHeader } from '../http/replies/reply-headers.ts';
import { type Refusal, refuse } from '../http/replies/responses.ts';
import type { Generation } from '../index/generation.ts';
import type { Lookup } from '../index/lookup/lookup.ts';
import { type ProductType, productTypeFacts } from '../index/product-type.ts';
import { schemeFacts } from '../index/versions/version-key.ts';

export const UNKNOWN_ECOSYSTEMS = 'Vulndex-Unknown-Ecosystems';
/** Products whose versions could not be read. */
export const UNREAD_VERSIONS = 'Vulndex-Unread-Versions';
export const IGNORED_VERSION_PARTS = 'Vulndex-Ignored-Version-Parts';
/** A header must stay short, whatever is in a batch. */
const MOST_PARTS = 10;

/** Of a look-up of one version. */
export function lookupHeaders(
  generation: Generation,
  { type, version }: Pick<Lookup, 'type' | 'version'>,
): readonly ReplyHeader[] {
  const missing = withoutData(generation, [type]);
  const ignored = ignoredPart(type, version);
  return ignored === '' ? missing : [...missing, [IGNORED_VERSION_PARTS, ignored]];
}

/** Of look-ups of these types; no header for types with data. */
export function withoutData(generation: Generation, types: Iterable<ProductType>): readonly ReplyHeader[] {
  const missing: ProductType[] = []; // mostly none, though a batch may name a type a thousand times
  for (const type of types) {
    if (generation.isWithoutData(type) && !missing.includes(type)) missing.push(type);
  }
  return missing.length === 0 ? NO_HEADERS : [[UNKNOWN_ECOSYSTEMS, missing.join(', ')]];
}

/** A 404 in place of a file that would say that everything is clean; undefined where there is data. */
export function refuseWithoutData(
  generation: Generation,
  type: ProductType,
  problem: Omit<Problem, 'status'>,
): Refusal | undefined {
  const headers = withoutData(generation, [type]);
  return headers.length === 0 ? undefined : refuse({ ...problem, status: 404 }, headers);
}

/** No header for versions that were read in full, which nearly all are. */
export function ignoredParts(asked: Iterable<Pick<Lookup, 'type' | 'version'>>): readonly ReplyHeader[] {
  const ignored: string[] = [];
  for (const { type, version } of asked) {
    const part = ignoredPart(type, version);
    if (part !== '' && ignored.length < MOST_PARTS && !ignored.includes(part)) ignored.push(part);
  }
  return ignored.length === 0 ? NO_HEADERS : [[IGNORED_VERSION_PARTS, ignored.join(', ')]];
}

/** Letters, digits and separators alone, as the scheme has read it. */
export function ignoredPart(type: ProductType, version: string): string {
  const { publicPart } = schemeFacts(productTypeFacts(type).scheme);
  return publicPart === null ? '' : version.slice(publicPart(version).length).trim();
}
