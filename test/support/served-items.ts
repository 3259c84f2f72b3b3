// The prepared list items of a generation, read back as JSON, for tests that check what a listing would contain
// without a socket.

import { preparedItems } from '../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../src/index/generation.ts';
import type { Stretch } from '../../src/index/lookup/id-list.ts';

/** The members of a list item that tests check. */
export interface ServedItem {
  readonly id: number;
  readonly title: string;
  readonly product: { readonly id: number; readonly name: string; readonly slug: string };
  readonly version_info: {
    readonly affected: string;
    readonly fixed: string;
    readonly patched_ranges: readonly unknown[];
  };
  readonly [other: string]: unknown;
}

const fromUtf8 = new TextDecoder();

/** The items of consecutive ordinals as /all serves them. */
export function servedItems(generation: Generation, { start, end }: Stretch): readonly ServedItem[] {
  return JSON.parse(`[${fromUtf8.decode(preparedItems(generation, start, end))}]`) as ServedItem[];
}
