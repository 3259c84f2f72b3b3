// A draft as it is stored, and as it travels between threads: checked, serialised once, with the ids that
// decide what it belongs to. Its record becomes a line of a feed by putting its numbers in, without parsing
// it again.
//
//   recordEnd 4 | productEnd 4 | flags 4 | record: JSON | rest: JSON
//
// Offsets are from the start of the row, little-endian. `productEnd` is where the closing brace of the
// product is.

import { MAX_RECORD_BYTES } from '../index/items/detail-record.ts';
import { normaliseAlias } from '../index/lookup/alias-table.ts';
import { hasControlCharacter } from '../index/memory/text-limits.ts';
import { storedSlug } from '../index/product-type.ts';
import { isGhsa, isMalwareReport } from './record/advisory-id.ts';
import { DEFAULTED, STAND_INS } from './record/defaults.ts';
import { checkSurrogates, type FieldProblem, quoted, toJson } from './record/feed-schema.ts';
import { checkRecord } from './record/record.ts';
import type { Draft, DraftRecord, MalwareReport, Place, SourceEntry } from './source.ts';

const HEADER_BYTES = 12;
const RECORD_END = 0;
const PRODUCT_END = 4;
const FLAGS = 8;
const HAS_ID = 1;
const HAS_CREATED_AT = 2;
const HAS_PRODUCT_ID = 4;
const HAS_PSID = 8;
const IS_WITHDRAWN = 16;
const LACKS_DEFAULTS = 32;

export interface PackedDraft {
  readonly row: Uint8Array;
  /** Why it cannot become an advisory. */
  readonly problems: readonly FieldProblem[];
  /** Undefined if there are problems. */
  readonly keys: PackedKeys | undefined;
}

export type PackedSourceEntry =
  | { readonly kind: 'packed'; readonly draft: PackedDraft; readonly warnings: readonly string[] }
  | Exclude<SourceEntry, { readonly kind: 'draft' }>;

export function packEntry(entry: SourceEntry): PackedSourceEntry {
  if (entry.kind !== 'draft') return entry;
  return { kind: 'packed', draft: packDraft(entry.draft), warnings: entry.warnings };
}

/** What decides which drafts belong together. Ids are normalised, and each is in one role only. */
export interface PackedKeys {
  readonly sourceId: string;
  /** `type/slug`, as it is looked up. */
  readonly product: string;
  /** The record's `source_id`; '' if it has none. */
  readonly self: string;
  /**
   * The GHSA id that is the record's own, which may be its `source_id`; '' if it has none, or if several
   * could be.
   */
  readonly ghsa: string;
  readonly cves: readonly string[];
  /** All other ids that the record has. */
  readonly names: readonly string[];
  readonly isMalwareReport: boolean;
  readonly isWithdrawn: boolean;
  /**
   * Whether it names another record of the GitHub Advisory Database than its own: its ids are then those of
   * several vulnerabilities.
   */
  readonly isClosure: boolean;
  /** The ids that the draft brings with it: its own, and that of its product. */
  readonly ownNumber: number | undefined;
  readonly productNumber: number | undefined;
}

export interface StoredDraft {
  readonly place: Place;
  readonly record: DraftRecord;
  readonly report: MalwareReport | undefined;
}

export function packDraft({ place, sourceId, record, report }: Draft): PackedDraft {
  const problems: FieldProblem[] = [];
  // The numbers and defaults stand in for what is added later. Written out: to spread a constant object costs
  // 20 µs.
  const product =
    typeof record.product === 'object' && record.product !== null
      ? { id: 0, ...record.product }
      : record.product;
  checkRecord({ id: 1, created_at: '1970-01-01T00:00:00Z', ...STAND_INS, ...record, product }, problems);
  if (sourceId !== record.source_id && hasControlCharacter(sourceId)) {
    problems.push({ field: 'source_id', message: `contains a control character (got ${quoted(sourceId)})` });
  }
  const json = toJson(record) ?? tooDeep(problems);
  if (json.includes('\\ud')) checkSurrogates(record, problems);
  const rest: Rest = report === undefined ? [place] : [place, report];
  const restJson = JSON.stringify(rest);
  const recordBytes = Buffer.byteLength(json);
  if (recordBytes > MAX_RECORD_BYTES) {
    problems.push({
      field: 'record',
      message: `has ${recordBytes} bytes; the limit is ${MAX_RECORD_BYTES}`,
    });
  }
  const row = allocate(HEADER_BYTES + recordBytes + Buffer.byteLength(restJson));
  const recordEnd = HEADER_BYTES + recordBytes;
  row.write(json, HEADER_BYTES);
  row.write(restJson, recordEnd);
  row.writeUInt32LE(recordEnd, RECORD_END);
  row.writeUInt32LE(problems.length === 0 ? productEndIn(json, recordEnd, record) : 0, PRODUCT_END);
  row.writeUInt32LE(problems.length === 0 ? flagsOf(record) : 0, FLAGS);
  return { row, problems, keys: problems.length === 0 ? keysOf(sourceId, record) : undefined };
}

/** What is kept of the record; an unknown member can be nested to any depth. */
function tooDeep(problems: FieldProblem[]): string {
  problems.push({ field: 'record', message: 'is nested too deeply' });
  return '{}';
}

/** Requires: the row of a PackedDraft. */
export function unpackDraft(row: Uint8Array): StoredDraft {
  // packDraft wrote exactly this.
  const record = JSON.parse(asBuffer(recordJson(row)).toString()) as DraftRecord;
  const [place, report] = restOf(row);
  return { record, place, report };
}

export function placeOf(row: Uint8Array): Place {
  return restOf(row)[0];
}

type Rest = readonly [place: Place, report?: MalwareReport];

function restOf(row: Uint8Array): Rest {
  const bytes = asBuffer(row);
  // packDraft wrote exactly this.
  return JSON.parse(bytes.toString('utf8', bytes.readUInt32LE(RECORD_END))) as Rest;
}

/** The record as JSON, as it came: a view. */
export function recordJson(row: Uint8Array): Uint8Array {
  return row.subarray(HEADER_BYTES, asBuffer(row).readUInt32LE(RECORD_END));
}

/** The numbers that a record gets, if it does not have its own. */
interface RecordNumbers {
  readonly id: number;
  /** Called only if the product has no number. */
  productNumber(): number;
  /** Called only if the record does not say when it was created. */
  createdAt(): string;
}

/**
 * Whether `numberedLine` can put these numbers in, which an id of its own, a PSID or a missing required
 * member prevents.
 */
export function canNumber(row: Buffer, id: number, ownNumber: number | undefined): boolean {
  const flags = row.readUInt32LE(FLAGS);
  const keepsId = (flags & HAS_ID) === 0 || ownNumber === id;
  return keepsId && (flags & (HAS_PSID | LACKS_DEFAULTS)) === 0 && row.readUInt32LE(PRODUCT_END) !== 0;
}

export function isWithdrawnRow(row: Buffer): boolean {
  return (row.readUInt32LE(FLAGS) & IS_WITHDRAWN) !== 0;
}

/**
 * The line that `{ ...record, id, created_at, product: { ...product, id } }` serialises to, where a member
 * that the record has stays in its place. Requires: `canNumber`.
 */
export function numberedLine(row: Buffer, { id, productNumber, createdAt }: RecordNumbers): Buffer {
  const flags = row.readUInt32LE(FLAGS);
  const recordEnd = row.readUInt32LE(RECORD_END);
  const productEnd = row.readUInt32LE(PRODUCT_END);
  const ofProduct = (flags & HAS_PRODUCT_ID) === 0 ? `,"id":${productNumber()}` : '';
  const ofId = (flags & HAS_ID) === 0 ? `,"id":${id}` : '';
  const ofTime = (flags & HAS_CREATED_AT) === 0 ? `,"created_at":${JSON.stringify(createdAt())}` : '';
  const tail = `${ofId}${ofTime}}`;
  const line = Buffer.allocUnsafe(recordEnd - 1 - HEADER_BYTES + ofProduct.length + tail.length); // all ASCII
  let at = row.copy(line, 0, HEADER_BYTES, productEnd);
  at += line.write(ofProduct, at, 'latin1');
  at += row.copy(line, at, productEnd, recordEnd - 1);
  line.write(tail, at, 'latin1');
  return line;
}

/** Rows are cut from larger buffers: one of its own for each would keep the garbage collector busy. */
const SLAB_BYTES = 256 << 10;
let slab = Buffer.alloc(0);
let slabUsed = 0;

function allocate(bytes: number): Buffer {
  if (bytes > SLAB_BYTES / 4) return Buffer.allocUnsafe(bytes);
  if (slabUsed + bytes > slab.length) {
    slab = Buffer.allocUnsafe(SLAB_BYTES);
    slabUsed = 0;
  }
  slabUsed += bytes;
  return slab.subarray(slabUsed - bytes, slabUsed);
}

/**
 * Where the product's brace closes, or 0 if that cannot be told. In a JSON text, `"product":` cannot be part
 * of a string, but an unknown member could have a product too.
 */
function productEndIn(json: string, recordEnd: number, { product }: DraftRecord): number {
  const text = `"product":${JSON.stringify(product)}`;
  const at = json.indexOf(text);
  if (at === -1 || json.includes(text, at + 1)) return 0;
  return recordEnd - Buffer.byteLength(json.slice(at + text.length - 1));
}

function flagsOf(record: DraftRecord): number {
  const { id, created_at, product, psid, withdrawn_at } = record;
  return (
    (DEFAULTED.some((field) => record[field] === undefined) ? LACKS_DEFAULTS : 0) |
    (id === undefined ? 0 : HAS_ID) |
    (created_at === undefined ? 0 : HAS_CREATED_AT) |
    (product.id === undefined ? 0 : HAS_PRODUCT_ID) |
    (psid === undefined ? 0 : HAS_PSID) |
    (withdrawn_at === undefined ? 0 : IS_WITHDRAWN)
  );
}

function keysOf(sourceId: string, record: DraftRecord): PackedKeys {
  const { product, source_id = '', cves = [], aliases = [], id, withdrawn_at } = record;
  const self = normaliseAlias(source_id);
  const named = [normaliseAlias(record.ghsa ?? ''), ...aliases.map(normaliseAlias)];
  const ghsas = new Set([self, ...named].filter(isGhsa));
  const isReport = isMalwareReport(self);
  const ghsa = ownGhsa(self, named[0], ghsas.size);
  const ownCves = new Set(cves.map(normaliseAlias));
  const names = new Set(named);
  for (const each of ['', self, ghsa, ...ownCves]) names.delete(each);
  ownCves.delete(self);
  return {
    sourceId,
    product: `${product.type}/${storedSlug(product.type, product.slug)}`,
    self,
    ghsa,
    cves: [...ownCves],
    names: [...names],
    isMalwareReport: isReport,
    isWithdrawn: withdrawn_at !== undefined,
    isClosure: ghsas.size > 1,
    ownNumber: id,
    productNumber: product.id,
  };
}

/**
 * A malware report names the advisory that it is about; of several GHSA ids of another database, any may be
 * meant.
 */
function ownGhsa(self: string, ghsa: string, count: number): string {
  if (isGhsa(self)) return self;
  return isMalwareReport(self) || (self !== '' && count > 1) ? '' : ghsa;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
