// The prepared list items of a generation, read back as JSON, for tests that check what a listing would
// contain without a socket.

import type { Generation } from '../../../src/index/generation.ts';
import type { Stretch } from '../../../src/index/lookup/id-list.ts';
import { AnswerBuffer } from '../../../src/index/memory/answer-buffer.ts';

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
  const out = new AnswerBuffer();
  generation.items.writeItems(out, start, end);
  return JSON.parse(`[${fromUtf8.decode(out.view())}]`) as ServedItem[];
}
