// What only the page of one advisory shows, and where it comes from. The record is read on demand: it is not
// part of any listing, except for its `details`.

/** The longest line of a feed that becomes a record. Packed, nothing of it takes more room. */
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

/** Decodes packed values of a generation on demand. They were looked at when it was loaded, so all can be decoded. */
export interface RecordSource {
  detailAt(ordinal: number): DetailRecord;
  /** An interned value: see the term columns in docs/snapshot-format.md. */
  termAt(term: number): unknown;
}
