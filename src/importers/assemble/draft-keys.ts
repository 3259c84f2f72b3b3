// What decides which drafts are one advisory. Ids are numbers, equal if and only if the ids are.

import type { DraftRecord } from '../source.ts';

/**
 * An id that more records of one product have identifies none of them. Real ones are shared by a handful;
 * comparing every two of a hundred thousand would take for ever.
 */
export const MAX_SHARING = 32;

export interface DraftKeys {
  readonly length: number;
  readonly productCount: number;
  sourceAt(draft: number): number;
  productAt(draft: number): number;
  /** The id that identifies the draft in its source. */
  sourceIdText(draft: number): string;
  /** The id under which its database publishes it; undefined if the record does not say. */
  selfAt(draft: number): number | undefined;
  /** The GHSA id that is its own; it may be `selfAt`. */
  ghsaAt(draft: number): number | undefined;
  /** What its source says are its CVE ids. */
  cvesAt(draft: number): Uint32Array;
  /** All other ids of the record. */
  namesAt(draft: number): Uint32Array;
  isMalwareReport(draft: number): boolean;
  isWithdrawn(draft: number): boolean;
  /** Whether it names another GHSA id than its own: its ids are then those of several vulnerabilities. */
  isClosure(draft: number): boolean;
  isGhsaId(id: number): boolean;
  /** An id as it is compared. */
  idText(id: number): string;
  /** Reads the stored record, which takes time. */
  recordAt(draft: number): DraftRecord;
}
