// The fields shown only on an advisory's own page, and where they come from. They are read on demand;
// listings use none of them except the body.

import type { BlockSection } from '../columns.ts';
import { OpenBlock } from '../memory/open-block.ts';

/** The longest feed line that is accepted. No part of it takes more bytes once packed. */
export const MAX_RECORD_BYTES = 2 ** 21;
/** Of one record or term. MessagePack takes two bytes more than JSON for a text of 64 KiB or more. */
export const MAX_PACKED_BYTES = MAX_RECORD_BYTES + 4096;

export type NamedLink = readonly [name: string, url: string];

/** A row of the snapshot's details section. */
export type DetailRecord = readonly [
  description: string,
  cves: readonly string[],
  /** One for each URL of the listed references. */
  referenceTitles: readonly string[],
  urlSlug: string,
  credit: NamedLink | null,
  submitter: NamedLink | null,
  affectedVersions: readonly string[],
  /** Epoch seconds. */
  withdrawnAt: number | null,
  /** Ids in other databases, besides the CVE and GHSA ids. */
  aliases: readonly string[],
  /** OSV's `ecosystem_specific` as JSON, an object. Rare: a row without it has one member less. */
  ecosystemSpecific?: string,
];

/** The rows of a block, each decoded when it is asked for. */
export interface BlockRows<Row> {
  rowAt(index: number): Row;
  /** A row as it is packed. */
  bytesAt(index: number): Uint8Array;
}

/** The blocks that a thread has read last: a page with details asks for neighbouring rows next. */
export class OpenRecords {
  readonly texts = new OpenBlock<BlockRows<unknown>>();
  readonly details = new OpenBlock<BlockRows<DetailRecord>>();
  readonly bodies = new OpenBlock<BlockRows<string>>();

  close(): void {
    this.texts.close();
    this.details.close();
    this.bodies.close();
  }
}

/**
 * Decodes packed values of a generation on demand, and checks them: until the check behind a swap is over, a
 * block may have a fault. Methods then throw SnapshotError.
 */
export interface RecordSource {
  /** Requires: `open` is used for no other source until it is closed. */
  detailAt(ordinal: number, open: OpenRecords): DetailRecord;
  /** The text in Markdown, or '' for none, which costs nothing to find out. Requires: as for `detailAt`. */
  bodyAt(ordinal: number, open: OpenRecords): string;
  /** An advisory's row of a section as it is packed; undefined for no body. Requires: as for `detailAt`. */
  packedAt(section: BlockSection, ordinal: number, open: OpenRecords): Uint8Array | undefined;
  /** An interned value: see the term columns in docs/snapshot-format.md. */
  termAt(term: number): unknown;
}
