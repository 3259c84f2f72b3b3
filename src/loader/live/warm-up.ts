// What clients asked for of the previous snapshot, they will ask for of the next: its items are made before
// the swap, in the loader's thread, so that no request waits for them.

import type { Generation } from '../../index/generation.ts';

/** So that a swap is not put off for long, however much was asked for. */
const MOST_ITEMS = 50_000;

/**
 * Prepares the items of advisories whose items the previous generation has prepared. Throws SnapshotError
 * when one of them cannot be made.
 */
export function warmUp(next: Generation, previous: Generation): void {
  const { isReady } = previous.parts.items;
  let left = MOST_ITEMS;
  for (
    let ordinal = isReady.indexOf(1);
    ordinal >= 0 && left > 0;
    ordinal = isReady.indexOf(1, ordinal + 1)
  ) {
    const same = next.findId(previous.idAt(ordinal));
    if (same !== undefined) next.items.require(same, same + 1);
    left--;
  }
}
