// The project's own feed format: turns lines into advisories, or into rejects that say what is wrong.
// lines.ts splits files into lines, ../record/ checks what a record says; this file owns what one line cannot
// show: ids used twice.

import type { Advisory } from '../../compiler/advisory.ts';
import type { PackedAdvisory } from '../../compiler/packed-advisory.ts';
import type { FeedRecord, FieldProblem } from '../record/feed-schema.ts';
import { checkRecord, defaultPsid, type Report, toAdvisory } from '../record/record.ts';
import type { Reject } from '../source.ts';
import { FirstUses } from './first-uses.ts';
import { indexLines, type KnownLines, type OriginColumns } from './known-lines.ts';
import { packBatches } from './line-threads.ts';
import { type Line, readLines } from './lines.ts';
import { type PackedLines, packedLine } from './pack-lines.ts';
import { parseLine, refuseOsv } from './parse-line.ts';
import { findUnknownMembers, UnknownMembers, unknownMemberProblem } from './unknown-members.ts';

export type FeedEntry =
  | { readonly kind: 'advisory'; readonly advisory: Advisory }
  | { readonly kind: 'reject'; readonly reject: Reject };

/** An advisory that was packed at once, because there is nothing to say about its line. */
export type PackedEntry =
  | { readonly kind: 'packed'; readonly packed: PackedAdvisory }
  /** Compiled from this very line before: its ordinal in the previous snapshot. */
  | { readonly kind: 'kept'; readonly ordinal: number }
  | FeedEntry;

/** The columns of a snapshot that are needed to keep advisories of it. */
interface PreviousColumns extends OriginColumns {
  readonly advisoryId: Float64Array;
  readonly advisoryPsid: Float64Array;
}

interface FeedImporterOptions {
  readonly strict?: boolean;
  readonly previous?: PreviousColumns | undefined;
}

/** Reads the files of one compilation, one after another: ids and PSIDs are unique across all of them. */
export class FeedImporter {
  /** Where each id and PSID (as a 48-bit number) was first used. */
  readonly #ids = new FirstUses();
  readonly #psids = new FirstUses();
  readonly #places = new Places();
  readonly #isStrict: boolean;
  readonly #unknown = new UnknownMembers();

  readonly #previous: PreviousColumns | undefined;
  readonly #known: KnownLines | undefined;

  /** Strict: an unknown member is an error in its line, not a warning. */
  constructor({ strict = false, previous }: FeedImporterOptions = {}) {
    this.#isStrict = strict;
    this.#previous = previous;
    this.#known = previous === undefined ? undefined : indexLines(previous);
  }

  /** One line of text for each unknown member ignored so far. */
  warnings(): string[] {
    return this.#unknown.warnings();
  }

  /**
   * Every line of the file as an entry, in order, in batches. `onBytes` as in readLines.
   * Throws FeedFileError. Requires: the previous file was read to its end.
   */
  async *read(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<FeedEntry[]> {
    this.#places.openFile(path);
    for await (const lines of readLines(path, onBytes)) {
      yield lines.map((line) => this.#entry(path, line, this.#places.add(line.number)));
    }
  }

  /** As `read`, by several threads. Lines that the previous snapshot was compiled from are kept. */
  async *readPacked(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<PackedEntry[]> {
    this.#places.openFile(path);
    for await (const { lines, packed } of packBatches(readLines(path, onBytes), { previous: this.#known })) {
      yield lines.map((line, i) => this.#packedEntry(path, line, packed, i));
    }
  }

  #packedEntry(file: string, line: Line, lines: PackedLines, i: number): PackedEntry {
    const place = this.#places.add(line.number);
    const previous = this.#previous;
    const ordinal = lines.known[i] - 1;
    const isKept = previous !== undefined && ordinal >= 0;
    const id = isKept ? previous.advisoryId[ordinal] : lines.ids[i];
    const psid = isKept ? previous.advisoryPsid[ordinal] : lines.psids[i];
    if (Number.isNaN(id) || this.#ids.find(id) !== undefined || this.#psids.find(psid) !== undefined) {
      return this.#entry(file, line, place);
    }
    this.#ids.add(id, place);
    this.#psids.add(psid, place);
    return isKept ? { kind: 'kept', ordinal } : { kind: 'packed', packed: packedLine(lines, i) };
  }

  #entry(file: string, line: Line, place: number): FeedEntry {
    const problems: FieldProblem[] = [];
    const value = parseLine(line.bytes, problems);
    if (value !== undefined) {
      const fits = checkRecord(value, problems);
      // A field is read only if `fits` allows it, or if there are no problems at all.
      const record = value as FeedRecord;
      const report: Report = (field, message) => problems.push({ field, message });
      const psid = fits('id') && fits('psid') ? (record.psid ?? defaultPsid(record.id)) : undefined;
      if (fits('id')) this.#claim(record.id, psid, place, report);
      this.#noteUnknown(record, file, line.number, problems);
      if (problems.length === 0 && psid !== undefined) {
        return { kind: 'advisory', advisory: toAdvisory(record, psid) };
      }
      refuseOsv(value, file, line.number);
    }
    return {
      kind: 'reject',
      reject: { place: { file, line: line.number }, bytes: new Uint8Array(line.bytes), problems },
    };
  }

  #noteUnknown(record: FeedRecord, file: string, line: number, problems: FieldProblem[]): void {
    const members = findUnknownMembers(record);
    if (!this.#isStrict) this.#unknown.note(members, file, line);
    else for (const member of members) problems.push(unknownMemberProblem(member));
  }

  /** Records the first use of an id and a PSID; a record rejected for another reason counts as a use. */
  #claim(id: number, psid: string | undefined, place: number, report: Report): void {
    const sameId = this.#ids.find(id);
    if (sameId !== undefined) {
      report('id', `${id} was already used at ${this.#places.name(sameId)}`);
      return; // its default PSID would only repeat the problem
    }
    this.#ids.add(id, place);
    if (psid === undefined) return;
    const key = Number.parseInt(psid, 16);
    const samePsid = this.#psids.find(key);
    if (samePsid === undefined) this.#psids.add(key, place);
    else report('psid', `${psid} is also the PSID of the advisory at ${this.#places.name(samePsid)}`);
  }
}

/** Identifies a line across all files by one small integer: its number plus the lines of the files before. */
class Places {
  readonly #files: { readonly path: string; readonly start: number }[] = [];
  #last = 0;

  openFile(path: string): void {
    this.#files.push({ path, start: this.#last });
  }

  add(line: number): number {
    this.#last = (this.#files.at(-1)?.start ?? 0) + line;
    return this.#last;
  }

  /** `file:line`. */
  name(place: number): string {
    const file = this.#files.findLast(({ start }) => start < place);
    return file === undefined ? `line ${place}` : `${file.path}:${place - file.start}`;
  }
}
