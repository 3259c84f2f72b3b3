// Snapshot files for tests: compiled from records, and damaged or forged. Damage leaves the checksum
// unchanged; a forgery recomputes it, so that only the later checks can detect it.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { ByteBuffer } from 'flatbuffers';
import { Packr } from 'msgpackr/pack';
import { compileFeeds } from '../../../src/cli/sources/compile-feeds.ts';
import { packIndex } from '../../../src/compiler/index-section.ts';
import { measureItems } from '../../../src/compiler/item-bytes.ts';
import { rowsOf } from '../../../src/compiler/section-rows.ts';
import {
  COLUMN_NAMES,
  type ColumnName,
  type ElementArrays,
  type IndexColumns,
} from '../../../src/index/columns.ts';
import {
  alignSection,
  formatHeader,
  HASH_BYTES,
  HASH_OFFSET,
  HEADER_BYTES,
  parseHeader,
  SECTIONS,
  type SectionBounds,
  type SectionName,
} from '../../../src/loader/format.ts';
import { SnapshotIndex } from '../../../src/loader/generated/snapshot-index.ts';
import { type FeedJson, feedRecord, npmProduct, span, writeFeed } from '../feeds/advisories.ts';

export const BUILT_AT_MS = Date.UTC(2026, 0, 10);

const THEME = { id: 21, type: 'theme', slug: 'paper', name: 'Paper' };
const CORE = { id: 1, type: 'wordpress', slug: 'wordpress', name: 'WordPress' };

/**
 * A little of everything: both platforms, all types, all schemes, withdrawn advisories, two schemes in one
 * product, several spans, a fix that is not a version, two source ids, of which one is spelled in no usual
 * way, an alias that two advisories share, a time before 1970.
 */
export function sampleRecords(): FeedJson[] {
  const gallery = (version: string): FeedJson => span(null, version, 'exclusive', version);
  return [
    feedRecord(101, {
      created_at: '2026-01-04T00:00:00Z',
      version_scheme: 'php',
      details: '# One',
      epss: { score: 0.00043, percentile: 0.1 },
      kev_date: '2026-01-05',
    }),
    feedRecord(102, {
      affected: [span('1.0', '1.2'), span('2.0', '2.4', 'exclusive', '2.4')],
      ghsa: 'GHSA-aaaa-bbbb',
      version_scheme: 'php',
    }),
    feedRecord(103, {
      affected: [gallery('3.5')],
      version_scheme: 'decimal',
      cves: ['CVE-2026-102'],
      modified_at: '2026-02-01T00:00:00Z',
    }),
    feedRecord(104, { product: THEME, affected: [span(null, null)], cves: [], is_exploited: true }),
    feedRecord(105, { product: CORE, affected: [span('4.0', '4.0.9'), span('4.1', '4.1.8', null, '4.1.9')] }),
    feedRecord(106, { product: CORE, affected_versions: ['5.0', '5.1'], affected: [], patch_priority: 3 }),
    feedRecord(201, {
      product: npmProduct('left'),
      affected: [span('1.0.0', '2.0.0', 'exclusive', 'never')],
      details: '# Two',
      kind: 'malware',
      severity: 'critical',
      epss: { score: 1, percentile: 0 },
      kev_date: '1970-01-01',
    }),
    feedRecord(202, {
      product: npmProduct('@scope/right', 12),
      source_id: 'SRC-202',
      affected: [span(null, '1.4.0', 'last-affected')],
      sources: [{ name: 'Somebody', notice: 'Copyright Somebody', license: 'MIT' }],
    }),
    feedRecord(203, {
      product: npmProduct('left'),
      source_id: 'src-203',
      affected: [span('1.5.0', null)],
      references: [],
    }),
    feedRecord(301, { withdrawn_at: '2026-01-05T00:00:00Z', version_scheme: 'php' }),
    feedRecord(302, {
      withdrawn_at: '2026-01-05T00:00:00Z',
      disclosed_at: '1969-12-31T23:59:59Z',
      product: npmProduct('gone', 13),
      affected: [span(null, '1.0.0')],
    }),
  ];
}

/** Compiles records into a file in the folder; returns its path. Throws if a record is bad. */
export async function compileRecords(
  folder: string,
  records: readonly FeedJson[],
  {
    name = 'test.vdx',
    builtAtMs = BUILT_AT_MS,
  }: { readonly name?: string; readonly builtAtMs?: number } = {},
): Promise<string> {
  const feed = join(folder, `${name}.ndjson`);
  writeFeed(feed, records);
  const problems: string[] = [];
  const plan = { feeds: [feed], out: join(folder, name), skipInvalid: false, builtAtMs };
  const { path } = await compileFeeds(plan, (line) => problems.push(line)).catch((error: unknown) => {
    throw new Error(problems.join('\n'), { cause: error });
  });
  return path;
}

/** The file in its own memory, so that its index can be viewed as aligned typed arrays. */
export const readBytes = (path: string): Uint8Array => new Uint8Array(readFileSync(path));

export function sectionBounds(bytes: Uint8Array, name: SectionName): SectionBounds {
  return parseHeader(bytes).sections[name];
}

/** A copy with its checksum recomputed. */
export function resealed(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const hash = createHash('sha256')
    .update(copy.subarray(0, HASH_OFFSET))
    .update(copy.subarray(HASH_OFFSET + HASH_BYTES))
    .digest();
  copy.set(hash, HASH_OFFSET);
  return copy;
}

/** A copy with one bit of one byte flipped. */
export function withFlippedBit(bytes: Uint8Array, at: number, bit = 0): Uint8Array {
  const copy = bytes.slice();
  copy[at] ^= 1 << bit;
  return copy;
}

export interface Forgery {
  /** Changes copies of the columns in place, or returns replacements. */
  readonly columns?: (columns: IndexColumns) => Partial<IndexColumns> | undefined;
  readonly texts?: Uint8Array;
  readonly details?: Uint8Array;
  readonly bodies?: Uint8Array;
}

/**
 * The same snapshot with different contents and a matching header and checksum, and with the lengths of its
 * items unless `columns` returns others.
 */
export function forged(bytes: Uint8Array, { columns: change, texts, details, bodies }: Forgery): Uint8Array {
  const columns = copyColumns(bytes);
  const changed = change?.(columns);
  const own = (name: SectionName): Uint8Array => {
    const { offset, length } = sectionBounds(bytes, name);
    return bytes.slice(offset, offset + length);
  };
  const forgedColumns = { ...columns, ...changed };
  const advisoryItemBytes = changed?.advisoryItemBytes ?? findItemBytes(forgedColumns, texts ?? own('texts'));
  const index = packIndex({ ...forgedColumns, ...(advisoryItemBytes && { advisoryItemBytes }) });
  const contents = {
    texts: texts ?? own('texts'),
    details: details ?? own('details'),
    bodies: bodies ?? own('bodies'),
    index,
    origins: own('origins'),
  };
  const bounds = {} as Record<SectionName, SectionBounds>; // filled by the loop
  let end = HEADER_BYTES;
  for (const name of SECTIONS) {
    bounds[name] = { offset: alignSection(end), length: contents[name].length };
    end = bounds[name].offset + bounds[name].length;
  }
  const file = new Uint8Array(end);
  file.set(formatHeader(parseHeader(bytes).builtAtMs, end, bounds));
  for (const name of SECTIONS) file.set(contents[name], bounds[name].offset);
  return resealed(file);
}

/** How long the items are; undefined if none can be made of these contents. */
function findItemBytes(columns: IndexColumns, texts: Uint8Array): Uint32Array | undefined {
  const { textBlockStart, textDictionary: dictionary } = columns;
  try {
    const rows = Array.from(textBlockStart.subarray(1), (end, block) =>
      rowsOf(inflateRawSync(texts.subarray(textBlockStart[block], end), { dictionary })),
    ).flat();
    const measuring = measureItems(columns, (ordinal) => rows[ordinal]);
    for (;;) {
      const { done, value } = measuring.next();
      if (done) return value;
    }
  } catch {
    return undefined; // of whatever kind: the loader is to say what is wrong
  }
}

/** The columns of a file as copies. */
export function copyColumns(bytes: Uint8Array): IndexColumns {
  const read = openIndex(bytes);
  const copies = COLUMN_NAMES.map((name) => [name, read(name).slice()]);
  return Object.fromEntries(copies) as unknown as IndexColumns; // a copy for each name
}

/** Where the elements of a column are in the file. */
export function columnBounds(bytes: Uint8Array, name: ColumnName): SectionBounds {
  const { byteOffset, byteLength } = openIndex(bytes)(name);
  return { offset: sectionBounds(bytes, 'index').offset + byteOffset, length: byteLength };
}

type Elements = ElementArrays[keyof ElementArrays];

/** Views of the columns, over memory that starts with the index section. */
function openIndex(bytes: Uint8Array): (name: ColumnName) => Elements {
  const { offset, length } = sectionBounds(bytes, 'index');
  const section = Uint8Array.from(bytes.subarray(offset, offset + length));
  const index = SnapshotIndex.getRootAsSnapshotIndex(new ByteBuffer(section));
  const readers = index as unknown as Record<string, () => Elements>; // flatc makes one for each column
  return (name) => readers[`${name}Array`].call(index);
}

/** One MessagePack value, as the compiler packs them. */
export function packed(value: unknown): Uint8Array {
  return new Uint8Array(new Packr({ useRecords: false, mapsAsObjects: true }).pack(value));
}

/** Writes bytes to a file in the folder; returns its path. */
export function writeBytes(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
