// What listings and lookups show of an advisory: the packed texts and terms of which its item is made, and
// the items of a generation once list-item-writer.ts has prepared them.

import type { TextPool } from '../memory/byte-writer.ts';
import type { ItemPart } from './item-parts.ts';

/** The listed fields that are not in a column: a row of the snapshot's texts section. */
export type ListedText = readonly [
  title: string,
  url: string,
  /** The first CVE without its prefix, or ''. */
  cve: string,
  ghsa: string,
  references: readonly string[],
];

/** Prepared bytes in shared memory, for all ordinals of a generation. */
export interface ListItems {
  /** At least one, by ascending ordinal. */
  readonly parts: readonly ItemPart[];
  /** Bytes from the value of `fixed` to the next item: a version in JSON, at most 6 * 256 bytes, plus 5. */
  readonly tailBytes: Uint16Array;
  /**
   * For each item, where the values of MARKED_FIELDS begin, from its start; BEYOND_MARKS if that is too far.
   */
  readonly marks: Uint16Array;
  /** The version of each advisory's lowest fix, or NONE. */
  readonly lowestFix: Uint32Array;
  /** Version texts as JSON string contents, without quotes. */
  readonly versionJson: TextPool;
}

export type LabelTerm = readonly [productId: number, name: string, premiumName: string | null];
export type CvssTerm = readonly [score: number | null, vector: string | null];
/**
 * Each source with its copyright notice, licence and the licence's URL; '' for what it does not have. If
 * several sources are merged in the advisory, also the members of the feed record that came from this one.
 */
export type SourcesTerm = readonly (readonly [
  name: string,
  notice: string,
  license: string,
  licenseUrl: string,
  fields?: readonly string[],
])[];
export type WeaknessTerm = readonly [id: number | null, name: string | null];
