// A feed as one source among several: its lines become drafts. A feed record has its own id and times, which
// it keeps unless the registry knows the advisory by another id.

import { type PackedSourceEntry, packEntry } from '../packed-draft.ts';
import { DEFAULTED } from '../record/defaults.ts';
import { type FeedRecord, type FieldProblem, toJson } from '../record/feed-schema.ts';
import type { SourceEntry } from '../source.ts';
import type { SourceReader } from '../source-kind.ts';
import { type Line, readLines, requireReadable, sizeOf } from './lines.ts';
import { parseLine, refuseOsv } from './parse-line.ts';
import { findUnknownMembers, unknownMemberProblem } from './unknown-members.ts';

export interface FeedOptions {
  /** An unknown member is an error in its line, not a warning. */
  readonly strict?: boolean;
}

/** `-` is standard input. Throws FeedFileError if the file clearly cannot be read. */
export function openFeed(path: string, { strict = false }: FeedOptions = {}): SourceReader {
  requireReadable(path);
  return {
    label: path,
    unit: 'bytes',
    total: sizeOf(path),
    read: (onProgress) => readFeed(path, strict, onProgress),
  };
}

async function* readFeed(
  path: string,
  strict: boolean,
  onProgress: (bytes: number) => void,
): AsyncGenerator<PackedSourceEntry[]> {
  for await (const lines of readLines(path, onProgress)) {
    yield lines.map((line) => packEntry(entryOf(path, line, strict)));
  }
}

function entryOf(file: string, { number, bytes }: Line, strict: boolean): SourceEntry {
  const place = { file, line: number };
  const problems: FieldProblem[] = [];
  const value = parseLine(bytes, problems);
  const unknown = value === undefined ? [] : findUnknownMembers(value).map(unknownMemberProblem);
  if (strict) for (const problem of unknown) problems.push(problem);
  if (value !== undefined) requireWhole(value, problems);
  if (value === undefined || problems.length > 0) {
    if (value !== undefined) refuseOsv(value, file, number);
    return { kind: 'reject', reject: { place, bytes: new Uint8Array(bytes), problems } };
  }
  // Only its numbers are checked so far; the assembly checks the rest of a draft.
  const record = value as FeedRecord;
  const warnings = strict ? [] : unknown.map(({ field, message }) => `${field}: ${message}, and was ignored`);
  // Ids are unique in a feed; source ids need not be. One that is not a number is refused later.
  return { kind: 'draft', draft: { place, sourceId: toJson(record.id) ?? '', record }, warnings };
}

/** A draft may lack what is added later; a feed record may not. */
function requireWhole(value: object, problems: FieldProblem[]): void {
  const members = value as Readonly<Record<string, unknown>>;
  for (const field of ['id', 'created_at', ...DEFAULTED]) {
    if (members[field] === undefined) problems.push({ field, message: 'is required' });
  }
  const { product } = members;
  if (typeof product === 'object' && product !== null && (product as { id?: unknown }).id === undefined) {
    problems.push({ field: 'product.id', message: 'is required' });
  }
}
