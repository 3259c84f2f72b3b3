// Lookups in one call, for the two steps of `Generation`.

import type { Generation } from '../../../src/index/generation.ts';
import { Locator } from '../../../src/index/lookup/locate.ts';
import type { Matches } from '../../../src/index/lookup/matches.ts';
import type { ProductType } from '../../../src/index/product-type.ts';

const locator = new Locator();

/** Whether any advisory applies; undefined when the text is not a version of the type. */
export function isVulnerable(
  generation: Generation,
  type: ProductType,
  name: string,
  version: string,
): boolean | undefined {
  const place = generation.locate(type, name, version, locator);
  return place.kind === 'not-a-version' ? undefined : generation.any(place);
}

/** Fills `matches` with the advisories that apply. False and empty when the text is not a version. */
export function match(
  generation: Generation,
  type: ProductType,
  name: string,
  version: string,
  matches: Matches,
): boolean {
  const place = generation.locate(type, name, version, locator);
  if (place.kind === 'not-a-version') {
    matches.clear();
    return false;
  }
  generation.collect(place, matches);
  return true;
}

/** The version to update to; null when there is none, or when the text is not a version. */
export function updateOf(
  generation: Generation,
  type: ProductType,
  name: string,
  version: string,
): string | null {
  const place = generation.locate(type, name, version, locator);
  const row = place.kind === 'not-a-version' ? undefined : generation.findUpdate(place);
  return row === undefined ? null : generation.versionText(row);
}
