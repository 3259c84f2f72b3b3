// The fields shown only on an advisory's own page, and where they come from. The record is read on demand: listings
// use none of it except `details`.

/** The longest feed line that is accepted. No part of it takes more bytes once packed. */
export const MAX_RECORD_BYTES = 2 ** 21;

export type NamedLink = readonly [name: string, url: string];

/** A row of the snapshot's details section. */
export type DetailRecord = readonly [
  description: string,
  details: string,
  cves: readonly string[],
  /** One for each URL of the listed references. */
  referenceTitles: readonly string[],
  urlSlug: string,
  credit: NamedLink | null,
  submitter: NamedLink | null,
  affectedVersions: readonly string[],
  /** Epoch seconds. */
  withdrawnAt: number | null,
];

/** Decodes packed values of a generation on demand. All were validated when it was loaded, so decoding cannot fail. */
export interface RecordSource {
  detailAt(ordinal: number): DetailRecord;
  /** The member `details` alone; '' when there are none, and then nothing is unpacked. */
  bodyAt(ordinal: number): string;
  /** An interned value: see the term columns in docs/snapshot-format.md. */
  termAt(term: number): unknown;
}
