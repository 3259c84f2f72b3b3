// Lines of a feed to packed advisories, in any thread. A line that needs a word said about it, in a problem
// or a warning, is left to feed.ts, which looks at it again; so is everything that one line cannot show.

import { type Origin, type PackedAdvisory, packAdvisory } from '../../compiler/packed-advisory.ts';
import type { FeedRecord, FieldProblem } from '../record/feed-schema.ts';
import { checkRecord, defaultPsid, toAdvisory } from '../record/record.ts';
import { findLine, type KnownLines, lineOrigin } from './known-lines.ts';
import { parseLine } from './parse-line.ts';
import { findUnknownMembers } from './unknown-members.ts';

/** Lines as they travel between threads: one after another in one buffer. */
export interface LineBatch {
  readonly bytes: Uint8Array;
  /** Where each line ends. */
  readonly ends: Uint32Array;
}

/** What became of them. */
export interface PackedLines {
  /** NaN for a line left to feed.ts, and for a known one. */
  readonly ids: Float64Array;
  /** The ordinal in the previous snapshot plus one of a known line, otherwise 0. */
  readonly known: Uint32Array;
  /** As 48-bit numbers. */
  readonly psids: Float64Array;
  readonly runs: Uint8Array;
  /** Where its facts, text, detail and body end: four for each line. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

const PARTS = 4;

export interface PackOptions {
  /** Lines of it are not packed. */
  readonly previous?: KnownLines | undefined;
  /** The lines were made by this program, of records that have been checked. */
  readonly isChecked?: boolean;
}

export function packLines(batch: LineBatch, { previous, isChecked = false }: PackOptions = {}): PackedLines {
  const count = batch.ends.length;
  const ids = new Float64Array(count).fill(Number.NaN);
  const known = new Uint32Array(count);
  const psids = new Float64Array(count);
  const runs = new Uint8Array(count);
  const ends = new Uint32Array(count * PARTS);
  const parts: Uint8Array[] = [];
  let length = 0;
  let start = 0;
  for (let line = 0; line < count; line++) {
    const bytes = batch.bytes.subarray(start, batch.ends[line]);
    start = batch.ends[line];
    const origin = lineOrigin(bytes);
    const ordinal = previous === undefined ? undefined : findLine(previous, origin);
    if (ordinal !== undefined) known[line] = ordinal + 1;
    const advisory = ordinal === undefined ? packLine(bytes, origin, isChecked) : undefined;
    if (advisory !== undefined) {
      const { packed, psid } = advisory;
      ids[line] = packed.id;
      psids[line] = Number.parseInt(psid, 16);
      runs[line] = packed.run;
      parts.push(packed.facts, packed.text, packed.detail, packed.body);
    }
    for (let part = 0; part < PARTS; part++) {
      if (advisory !== undefined) length += parts[parts.length - PARTS + part].length;
      ends[line * PARTS + part] = length;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { ids, known, psids, runs, ends, bytes };
}

/** One of the packed lines, as views. Requires: it was not left to feed.ts. */
export function packedLine({ ids, runs, ends, bytes }: PackedLines, line: number): PackedAdvisory {
  const at = line * PARTS;
  return {
    id: ids[line],
    run: runs[line],
    facts: bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at]),
    text: bytes.subarray(ends[at], ends[at + 1]),
    detail: bytes.subarray(ends[at + 1], ends[at + 2]),
    body: bytes.subarray(ends[at + 2], ends[at + 3]),
  };
}

function packLine(
  bytes: Uint8Array,
  origin: Origin,
  isChecked: boolean,
): { readonly packed: PackedAdvisory; readonly psid: string } | undefined {
  const record = isChecked ? parseChecked(bytes) : parseUnchecked(bytes);
  if (record === undefined) return undefined;
  const psid = record.psid ?? defaultPsid(record.id);
  return { packed: packAdvisory(toAdvisory(record, psid), origin), psid };
}

function parseChecked(bytes: Uint8Array): FeedRecord {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return JSON.parse(text) as FeedRecord; // who says that lines are checked answers for it
}

function parseUnchecked(bytes: Uint8Array): FeedRecord | undefined {
  const problems: FieldProblem[] = [];
  const value = parseLine(bytes, problems);
  if (value === undefined) return undefined;
  checkRecord(value, problems);
  if (problems.length > 0 || findUnknownMembers(value).length > 0) return undefined;
  return value as FeedRecord; // checkRecord found no problem
}
