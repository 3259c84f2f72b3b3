// What listings and lookups show of an advisory: the packed texts and terms of which its item is made, and
// where the items of a generation are kept once they are prepared.

import type { TraitColumn } from '../columns.ts';
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

/** The texts of all versions, as items show them. */
export interface VersionPools {
  /** As JSON string contents, without quotes. */
  readonly versionJson: TextPool;
  /** As they appear inside `affected`. */
  readonly versionRange: TextPool;
}

/** Of a generation, in shared memory. Items are prepared on first use: prepared-items.ts. */
export interface ListItems extends VersionPools {
  /** At least one, by ascending ordinal. */
  readonly parts: readonly ItemPart[];
  /** By ordinal: 1 once the item, its tail and its marks are written. */
  readonly isReady: Uint8Array;
  /** By ordinal: bytes from the value of `fixed` to the next item. */
  readonly tailBytes: Uint16Array;
  /** The marks of each item, one item after another. */
  readonly marks: Uint16Array;
  /** The version of each advisory's lowest fix, or NONE. */
  readonly lowestFix: Uint32Array;
}

/** A product as its advisory names it: null for the product's own number, and for its slug as its name. */
export type LabelTerm = readonly [productId: number | null, name: string | null, premiumName: string | null];
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
/** What a term of each column of traits holds. */
export interface TraitValues extends Readonly<Record<TraitColumn, unknown>> {
  readonly traitsVulnType: string;
  readonly traitsCvss: CvssTerm;
  readonly traitsCwe: WeaknessTerm;
  readonly traitsCapec: WeaknessTerm;
  /** '' for none. */
  readonly traitsOwasp: string;
  /** The source's own word, '' for none. */
  readonly traitsSeverity: string;
  readonly traitsSources: SourcesTerm;
}
