// The Wordfence Intelligence feed, version 3: one JSON object with a record under each id, of which one is in
// memory at a time. members.ts cuts the object, vulnerability.ts says what a record means; this file owns
// what one record cannot show: ids used twice, a file that is not the feed, and records of the last run.

import { SourceError } from '../../download/source-error.ts';
import { MAX_RECORD_BYTES } from '../../index/items/detail-record.ts';
import { readContent, requireReadable, sizeOf } from '../feed/lines.ts';
import { JsonCutError, JsonCutter, type JsonPiece } from '../json-cutter.ts';
import { Conversion, entriesOf } from '../kept/conversion.ts';
import type { KeptConversions } from '../kept/kept-conversions.ts';
import { type PackedSourceEntry, packEntry } from '../packed-draft.ts';
import { type FieldProblem, quoted } from '../record/feed-schema.ts';
import { MAX_COPIED_BYTES, tooManyCopies } from '../record/record.ts';
import { countMembers } from '../record/repeated-names.ts';
import type { Place, SourceEntry } from '../source.ts';
import type { SourceReader } from '../source-kind.ts';
import { readVulnerability, type Said } from './vulnerability.ts';

/** Both variants of the feed, plain or gzip. Throws SourceError if the file clearly cannot be read. */
export function openWordfence(path: string, kept?: KeptConversions): SourceReader {
  requireReadable(path);
  return {
    label: path,
    unit: 'bytes',
    total: sizeOf(path),
    read: (onProgress) => readFeed(path, onProgress, kept),
  };
}

async function* readFeed(
  path: string,
  onProgress: (bytes: number) => void,
  kept: KeptConversions | undefined,
): AsyncGenerator<PackedSourceEntry[]> {
  const scanner = new JsonCutter('object', MAX_RECORD_BYTES);
  const reader = new RecordReader(path, kept);
  try {
    for await (const chunk of readContent(path, onProgress)) {
      const entries = scanner.push(chunk).flatMap((member) => reader.entriesOf(member));
      if (entries.length > 0) yield entries;
    }
    scanner.finish();
  } catch (error) {
    throw error instanceof JsonCutError ? sourceError(path, error) : error;
  }
  if (reader.isEmpty) {
    throw new SourceError(`${path}: the feed has no records; check that it is the right file`);
  }
}

const REMEDIES: Readonly<Record<JsonCutError['code'], string>> = {
  'not-one': 'the feed is one JSON object with a record under each id; check that it is the right file',
  malformed: 'this is not valid JSON; fetch the file again',
  truncated: 'fetch the file again',
};

function sourceError(path: string, error: JsonCutError): SourceError {
  return new SourceError(`${path}: the file ${error.message}; ${REMEDIES[error.code]}`, { cause: error });
}

class RecordReader {
  readonly #path: string;
  readonly #kept: KeptConversions | undefined;
  readonly #ids = new Set<string>();
  // ignoreBOM keeps a byte order mark as a character, which is not valid JSON here.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  isEmpty = true;

  constructor(path: string, kept: KeptConversions | undefined) {
    this.#path = path;
    this.#kept = kept;
  }

  /** One entry for each product of the record, or one for the whole record. */
  entriesOf(member: JsonPiece): readonly PackedSourceEntry[] {
    this.isEmpty = false;
    const place: Place = { file: this.#path, entry: member.name };
    const refused = this.#refusal(member);
    if (refused !== undefined) return [packEntry(entryOf(place, member, refused))];
    const key = this.#kept?.keyOf(place, member.bytes) ?? '';
    const known = this.#kept?.find(key);
    const entries =
      known === undefined ? this.#convert(place, member).map(packEntry) : entriesOf(known, place);
    this.#kept?.keep(key, known ?? new Conversion(entries).bytes());
    return entries;
  }

  /** Depends on nothing but the place and the bytes. */
  #convert(place: Place, member: JsonPiece): SourceEntry[] {
    const said = this.#read(member);
    const rejects = said.filter(({ kind }) => kind === 'reject').length; // each with the bytes of the record
    if (rejects > 1 && rejects * member.bytes.length > MAX_COPIED_BYTES) {
      return [entryOf(place, member, { kind: 'reject', problems: [tooManyCopies('software')] })];
    }
    return said.map((one) => entryOf(place, member, one));
  }

  /** Why a member is not read. */
  #refusal({ name, bytes, length }: JsonPiece): Said | undefined {
    if (this.#ids.has(name)) return wrong('id', `${quoted(name)} was already used in this file`);
    this.#ids.add(name);
    if (length <= MAX_RECORD_BYTES) return undefined;
    const kept = `only its first ${bytes.length} are kept with this reject`;
    return wrong('record', `has ${length} bytes; the limit is ${MAX_RECORD_BYTES} (${kept})`);
  }

  #read({ name, bytes, colons }: JsonPiece): Said[] {
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      return [wrong('record', 'is not valid UTF-8')];
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return [wrong('record', `is not valid JSON (${(error as Error).message})`)];
    }
    if (countMembers(value) !== colons) return [wrong('record', 'has an object with the same name twice')];
    return readVulnerability(name, value);
  }
}

function entryOf(place: Place, { name, bytes }: JsonPiece, said: Said): SourceEntry {
  if (said.kind === 'draft') {
    const { record, warnings } = said;
    return { kind: 'draft', draft: { place, sourceId: name, record }, warnings };
  }
  if (said.kind === 'skipped') return { kind: 'skipped', place, reason: said.reason };
  // The bytes are copied: they may be a view of a chunk.
  return { kind: 'reject', reject: { place, bytes: new Uint8Array(bytes), problems: said.problems } };
}

function wrong(field: string, message: string): Said {
  const problem: FieldProblem = { field, message };
  return { kind: 'reject', problems: [problem] };
}
