// What every upstream source yields: drafts of records, and what it skipped or rejected, each with its place.
// A draft becomes a record in assemble/, which gives it its numbers and merges it with what other sources
// say.

import { isUtf8 } from 'node:buffer';
import type { Defaulted } from './record/defaults.ts';
import type { FeedRecord, FieldProblem } from './record/feed-schema.ts';

/**
 * Where an entry stands: a line of a file, a named entry of a file (an archive, one large JSON object), or a
 * whole file.
 */
export interface Place {
  /** A path, or the URL of a server. */
  readonly file: string;
  readonly line?: number;
  readonly entry?: string;
}

/** An entry that is not a valid advisory. */
export interface Reject {
  readonly place: Place;
  /** The entry as it is in the file: a line without its line ending, a file of an archive. */
  readonly bytes: Uint8Array;
  readonly problems: readonly FieldProblem[];
}

/**
 * A feed record without the numbers that the registry of ids gives, unless the source has its own. What the
 * source does not know is left out: a stand-in for it would win over what other sources know. `withDefaults`
 * puts stand-ins in at the end.
 */
export interface DraftRecord extends Omit<FeedRecord, 'id' | 'created_at' | 'product' | Defaulted> {
  readonly id?: number;
  readonly created_at?: string;
  readonly title?: string;
  readonly disclosed_at?: string;
  readonly vuln_type?: string;
  readonly product: Omit<FeedRecord['product'], 'id'> & { readonly id?: number };
}

/** What one source says about one vulnerability in one product. */
export interface Draft {
  readonly place: Place;
  /**
   * The id under which the source publishes it; with the product it identifies the draft within its source.
   */
  readonly sourceId: string;
  readonly record: DraftRecord;
  /** Of a malware report. */
  readonly report?: MalwareReport | undefined;
}

/**
 * What a malware report rests on, which decides what becomes of it when the advisory it is about is
 * withdrawn.
 */
export interface MalwareReport {
  /** The ids of what it was made of; '' for a finding that has none. Empty if the report does not say. */
  readonly origins: readonly string[];
  /** The versions that it lists one by one, also those that are in its spans. */
  readonly listed: readonly string[];
}

/**
 * `read = drafts + skipped + rejects` holds for every source: an upstream record counts once for each product
 * that it names, and once if it names none or cannot be read.
 */
export type SourceEntry =
  | {
      readonly kind: 'draft';
      readonly draft: Draft;
      /** What was left out of it, and why: whole sentences without the place. */
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'skipped';
      readonly place: Place;
      /** Names the group that it is counted in, such as `ecosystem PyPI`. */
      readonly reason: string;
    }
  | { readonly kind: 'reject'; readonly reject: Reject };

/** `file:line`, `file: entry` or `file`. */
export function formatPlace({ file, line, entry }: Place): string {
  if (line !== undefined) return `${file}:${line}`;
  return entry === undefined ? file : `${file}: ${entry}`;
}

/** One line of text per problem: `place: field: message`. */
export function formatProblem({ place, problems }: Reject): string[] {
  return problems.map(({ field, message }) => `${formatPlace(place)}: ${field}: ${message}`);
}

/**
 * One line of a rejects file, without a line feed. Contains the whole raw entry, in base64 if it is not
 * UTF-8.
 */
export function formatReject({ place, bytes, problems }: Reject): string {
  const raw = isUtf8(bytes)
    ? { raw: Buffer.from(bytes).toString() }
    : { raw_base64: Buffer.from(bytes).toString('base64') };
  return JSON.stringify({ ...place, problems, ...raw });
}
