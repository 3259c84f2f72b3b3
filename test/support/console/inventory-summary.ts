// What a reader found, as short lines to compare.

import type { Inventory } from '../../../src/inventory/inventory.ts';

/**
 * `name@version` with `*` for a direct dependency and `?` for one of which nothing is said; other types are
 * named.
 */
export function packagesOf({ packages }: Inventory): string[] {
  return packages.map(({ type, name, version, direct }) => {
    const mark = direct === null ? '?' : direct ? '*' : '';
    return `${type === 'npm' ? '' : `${type} `}${name}@${version}${mark}`;
  });
}

/** `reason: count`, and remarks. */
export function notesOf({ notes }: Inventory): string[] {
  return notes.map(({ reason, count }) => (count === 0 ? reason : `${reason}: ${count}`));
}
