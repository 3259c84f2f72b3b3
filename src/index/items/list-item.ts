// The item of every listing and lookup, as prepared JSON. Its layout lets one copy serve all its forms:
//
//     {"id":…, … ,"version_info":{"affected":…,"patched_ranges":…,"fixed":  "1.2.3"}},  {"id":…
//     ^ itemStart                                                           |tailBytes| ^ itemStart of the next
//
// Consecutive items are consecutive ordinals, so a default page of /all is one range of bytes from itemStart to the
// comma before the next page. Every other form copies the part before the tail and writes its own tail: another fix,
// the matched range, the details. See docs/decisions/0002.

import { type IndexColumns, isExploited, NONE, patchPriority } from '../columns.ts';
import { ByteWriter, type TextPool, WORD_BYTES, WriterFullError } from '../memory/byte-writer.ts';
import { PackedCursor } from '../memory/packed-cursor.ts';
import { allocateShared, growShared, type SharedMemory } from '../memory/shared-memory.ts';
import { PRODUCT_TYPE_TABLE } from '../product-type.ts';
import { VERSION_SCHEMES } from '../versions/version-key.ts';
import { completeSemver, fixRange, writeAffected } from './affected-range.ts';
import { writeInstant } from './instant.ts';
import { numberOrNull, quote } from './json-text.ts';

/** The listed fields that are not in a column: a row of the snapshot's texts section. */
export type ListedText = readonly [
  title: string,
  url: string,
  /** The first CVE without its prefix, or ''. */
  cve: string,
  ghsa: string,
  references: readonly string[],
  /** The id under which the source publishes the advisory, or ''. */
  sourceId: string,
];
const LISTED_TEXT_MEMBERS = 6;
const LABEL_MEMBERS = 3;

/** Prepared bytes in shared memory, for all ordinals of a generation. */
export interface ListItems {
  /** Begins with `bytes`; after them come the areas in which threads assemble answers. */
  readonly memory: SharedMemory;
  readonly bytes: Uint8Array;
  /** Where each item begins; a final entry marks the end of the last. The byte before the next start is a comma. */
  readonly itemStart: Uint32Array;
  /** Bytes from the value of `fixed` to the next item: a version in JSON, at most 6 * 256 bytes, plus 5. */
  readonly tailBytes: Uint16Array;
  /** The version of each advisory's lowest fix, or NONE. */
  readonly lowestFix: Uint32Array;
  /** Version texts as JSON string contents, without quotes. */
  readonly versionJson: TextPool;
  /** By ordinal: the id under which the source publishes the advisory, or '', as UTF-8. */
  readonly sourceIds: TextPool;
}

export type LabelTerm = readonly [productId: number, name: string, premiumName: string | null];
export type CvssTerm = readonly [score: number | null, vector: string | null];
/** Each source with its copyright notice, licence and the licence's URL; '' for what it does not have. */
export type SourcesTerm = readonly (readonly [
  name: string,
  notice: string,
  license: string,
  licenseUrl: string,
])[];
export type WeaknessTerm = readonly [id: number | null, name: string | null];

const SEMVER = VERSION_SCHEMES.indexOf('semver');
/** Limit on all items together: itemStart has 32 bits. */
export const MAX_ITEM_BYTES = 2 ** 32 - 1;
/** Most that is reserved up front; beyond it, only what is needed. Reserving all 4 GiB would leave none for areas. */
const MAX_RESERVED_BYTES = 2 ** 31;
const GROWTH_BYTES = 16 * 1024 * 1024;
const BATCH_BYTES = 128 * 1024; // fits in the CPU cache

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

const LISTED_FLAGS = 7; // exploited and priority
const FLAG_MEMBERS = Array.from({ length: LISTED_FLAGS + 1 }, (_, flags) =>
  utf8.encode(
    `,"is_exploited":${isExploited(flags)},"patch_priority":${patchPriority(flags)},"product":{"id":`,
  ),
);

// The text between the values, in few long pieces: each piece costs as much as a dozen bytes.
const ID = utf8.encode('{"id":');
const TITLE = utf8.encode(',"title":');
/** By type code: what stands before a title, with and without the name of the member; undefined where nothing does. */
const TITLE_PREFIXES = PRODUCT_TYPE_TABLE.map(({ titlePrefix }) =>
  titlePrefix === ''
    ? undefined
    : { text: utf8.encode(titlePrefix), member: utf8.encode(`,"title":"${titlePrefix}`) },
);
const DISCLOSED_AT = utf8.encode(',"disclosed_at":"');
const CREATED_AT = utf8.encode('+00:00","created_at":"');
const URL = utf8.encode('+00:00","url":');
const NAME = utf8.encode(',"name":');
const SLUG = utf8.encode(',"slug":');
const REFERENCES = utf8.encode(',"references":[');
const AFFECTED = utf8.encode('],"version_info":{"affected":"');
const PATCHED_RANGES = utf8.encode('","patched_ranges":[');
const NOT_PATCHED_FIXED = utf8.encode('","patched_ranges":[],"fixed":');
const FIXED = utf8.encode('],"fixed":');
const NO_FIX = utf8.encode('""');
const END_ITEM = utf8.encode('}},');
const END_OBJECT = utf8.encode('}');
const COMMA = utf8.encode(',');
const QUOTE = utf8.encode('"');

/** Writes the items of a generation in order of ordinal. Its working data is garbage afterwards. */
export class ListItemWriter {
  readonly #columns: IndexColumns;
  readonly #termAt: (term: number) => unknown;
  /** Items are written to plain memory and copied in batches: small writes to shared memory are slow. */
  readonly #batch: ByteWriter;
  readonly #maxBytes: number;
  readonly #memory: SharedMemory;
  #bytes: Uint8Array;
  /** Bytes copied so far; the current batch goes here. */
  #moved = 0;
  #ordinal = 0;
  readonly #itemStart: Uint32Array;
  readonly #tailBytes: Uint16Array;
  readonly #lowestFix: Uint32Array;
  /** Version texts as JSON string contents, and as they appear inside `affected`. */
  readonly #versionJson: TextPool;
  readonly #versionRange: TextPool;
  /** Rendered members of interned values, by term. */
  readonly #vulnTypes: (Uint8Array | undefined)[];
  readonly #cvss: (Uint8Array | undefined)[];
  readonly #cwes: (Uint8Array | undefined)[];
  readonly #capecs: (Uint8Array | undefined)[];
  readonly #labels: PackedCursor;
  readonly #sourceIds: ByteWriter;
  readonly #sourceIdStart: Uint32Array;

  /**
   * `expectedBytes` is an estimate of the total; reserved memory that is never written costs nothing. Requires:
   * `maxBytes` is at most MAX_ITEM_BYTES.
   */
  constructor(
    columns: IndexColumns,
    termAt: (term: number) => unknown,
    expectedBytes: number,
    maxBytes: number,
  ) {
    const count = columns.advisoryId.length;
    const { versionSchemeStart, termStart } = columns;
    this.#columns = columns;
    this.#termAt = termAt;
    this.#batch = new ByteWriter((size) => new Uint8Array(size), BATCH_BYTES * 2, maxBytes);
    this.#maxBytes = maxBytes;
    this.#memory = allocateShared(Math.min(MAX_RESERVED_BYTES, expectedBytes));
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#itemStart = new Uint32Array(new SharedArrayBuffer((count + 1) * 4));
    this.#tailBytes = new Uint16Array(new SharedArrayBuffer(count * 2));
    this.#lowestFix = new Uint32Array(new SharedArrayBuffer(count * 4));
    this.#versionJson = versionPool(columns, 0, 0);
    this.#versionRange = versionPool(columns, versionSchemeStart[SEMVER], versionSchemeStart[SEMVER + 1]);
    this.#vulnTypes = new Array(termStart.length); // full length at once: a sparse array would become a hash table
    this.#cvss = new Array(termStart.length);
    this.#cwes = new Array(termStart.length);
    this.#capecs = new Array(termStart.length);
    this.#labels = new PackedCursor(columns.termBytes);
    this.#sourceIds = new ByteWriter(sharedBytes, 0, MAX_ITEM_BYTES);
    this.#sourceIdStart = new Uint32Array(new SharedArrayBuffer((count + 1) * 4));
  }

  /**
   * Writes the item of the next ordinal from the row at the cursor. Throws PackedError when there is no such row or the
   * product's label is malformed, WriterFullError when all items together exceed `maxBytes`. Returns how many
   * references the row has.
   */
  add(row: PackedCursor): number {
    const ordinal = this.#ordinal++;
    const { lowest, highest } = fixRange(this.#columns, ordinal);
    this.#lowestFix[ordinal] = lowest;
    const referenceCount = this.#writeHead(ordinal, row);
    const out = this.#batch;
    const tail = this.#position();
    if (highest === NONE) out.piece(NO_FIX);
    else this.#writeVersion(highest);
    out.piece(END_ITEM);
    const end = this.#position();
    this.#tailBytes[ordinal] = end - tail;
    this.#itemStart[ordinal + 1] = end;
    if (out.length > BATCH_BYTES) this.#moveBatch();
    return referenceCount;
  }

  finish(): ListItems {
    this.#moveBatch();
    return {
      memory: this.#memory,
      bytes: this.#bytes.subarray(0, this.#moved),
      itemStart: this.#itemStart,
      tailBytes: this.#tailBytes,
      lowestFix: this.#lowestFix,
      versionJson: this.#versionJson,
      sourceIds: { bytes: this.#sourceIds.view(), starts: this.#sourceIdStart },
    };
  }

  /** Offset of the next byte among all items. */
  #position(): number {
    return this.#moved + this.#batch.length - this.#lead();
  }

  /** The batch starts with a gap that gives source and target the same alignment: then whole words are copied. */
  #lead(): number {
    return this.#moved % WORD_BYTES;
  }

  #moveBatch(): void {
    const batch = this.#batch.view().subarray(this.#lead());
    const needed = this.#moved + batch.length;
    if (needed > this.#maxBytes) throw new WriterFullError(this.#maxBytes);
    if (needed > this.#bytes.length) {
      growShared(this.#memory, Math.min(MAX_ITEM_BYTES, needed + GROWTH_BYTES));
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    this.#bytes.set(batch, this.#moved);
    this.#moved = needed;
    this.#batch.truncate(this.#lead());
  }

  /** Everything before the value of `fixed`. Returns how many references the row has. */
  #writeHead(ordinal: number, row: PackedCursor): number {
    const columns = this.#columns;
    const out = this.#batch;
    const product = columns.advisoryProduct[ordinal];
    row.row(LISTED_TEXT_MEMBERS);
    out.piece(ID);
    out.integer(columns.advisoryId[ordinal]);
    this.#writeTitle(row, TITLE_PREFIXES[columns.productType[product]]);
    out.piece(DISCLOSED_AT);
    writeInstant(out, columns.advisoryDisclosedAt[ordinal]);
    out.piece(CREATED_AT);
    writeInstant(out, columns.advisoryCreatedAt[ordinal]);
    this.#writeString(URL, row);
    this.#writeString(this.#vulnType(columns.advisoryVulnType[ordinal]), row);
    out.piece(FLAG_MEMBERS[columns.advisoryFlags[ordinal] & LISTED_FLAGS]);
    this.#writeProduct(columns.advisoryLabel[ordinal], product);
    out.piece(this.#cvssOf(columns.advisoryCvss[ordinal]));
    out.piece(this.#cwe(columns.advisoryCwe[ordinal]));
    this.#writeString(this.#capec(columns.advisoryCapec[ordinal]), row);
    out.piece(REFERENCES);
    const referenceCount = row.array();
    for (let i = 0; i < referenceCount; i++) {
      row.string();
      if (i > 0) out.piece(COMMA);
      out.jsonString(row.bytes, row.start, row.end);
    }
    row.string();
    this.#sourceIds.copy(row.bytes, row.start, row.end);
    this.#sourceIdStart[ordinal + 1] = this.#sourceIds.length;
    out.piece(AFFECTED);
    writeAffected(out, columns, ordinal, this.#versionRange);
    this.#writePatchedRanges(ordinal);
    return referenceCount;
  }

  /** A title carries the prefix of its platform exactly once. */
  #writeTitle(row: PackedCursor, prefix: (typeof TITLE_PREFIXES)[number]): void {
    row.string();
    const { bytes, start, end } = row;
    const out = this.#batch;
    if (prefix === undefined || prefix.text.every((byte, i) => bytes[start + i] === byte)) {
      out.piece(TITLE);
      out.jsonString(bytes, start, end);
    } else {
      out.piece(prefix.member);
      out.jsonContent(bytes, start, end);
      out.piece(QUOTE);
    }
  }

  #writeString(name: Uint8Array, row: PackedCursor): void {
    row.string();
    this.#batch.piece(name);
    this.#batch.jsonString(row.bytes, row.start, row.end);
  }

  #writeVersion(version: number): void {
    this.#batch.piece(QUOTE);
    if (version !== NONE) this.#batch.pooled(this.#versionJson, version);
    this.#batch.piece(QUOTE);
  }

  /** The spans that have a fix if there are at least two, otherwise none. Also the name of the next member. */
  #writePatchedRanges(ordinal: number): void {
    const { advisorySpanStart, spanFrom, spanTo, spanFixedIn } = this.#columns;
    const first = advisorySpanStart[ordinal];
    const last = advisorySpanStart[ordinal + 1];
    let fixedCount = 0;
    for (let span = first; span < last; span++) if (spanFixedIn[span] !== NONE) fixedCount++;
    const out = this.#batch;
    if (fixedCount < 2) {
      out.piece(NOT_PATCHED_FIXED);
      return;
    }
    out.piece(PATCHED_RANGES);
    let separator = '';
    for (let span = first; span < last; span++) {
      if (spanFixedIn[span] === NONE) continue;
      out.text(`${separator}{"from_version":`);
      this.#writeVersion(spanFrom[span]);
      out.text(',"to_version":');
      this.#writeVersion(spanTo[span]);
      out.text(',"fixed_in":');
      this.#writeVersion(spanFixedIn[span]);
      out.text('}');
      separator = ',';
    }
    out.piece(FIXED);
  }

  /** The member, and the name of the one that follows it. */
  #vulnType(term: number): Uint8Array {
    return this.#member(this.#vulnTypes, term, (value) => `,"vuln_type":${quote(value as string)},"cve":`);
  }

  #cvssOf(term: number): Uint8Array {
    return this.#member(this.#cvss, term, (value) => {
      const [score, vector] = value as CvssTerm;
      return `,"cvss":{"score":${numberOrNull(score)},"vector":${textOrNull(vector)}}`;
    });
  }

  #cwe(term: number): Uint8Array {
    return this.#member(this.#cwes, term, (value) => `,"cwe":${weakness(value as WeaknessTerm)}`);
  }

  /** The member, and the name of the one that follows it. */
  #capec(term: number): Uint8Array {
    return this.#member(this.#capecs, term, (value) => `,"capec":${weakness(value as WeaknessTerm)},"ghsa":`);
  }

  /** The bytes of an interned value's member, rendered on first use. */
  #member(known: (Uint8Array | undefined)[], term: number, render: (value: unknown) => string): Uint8Array {
    const member = known[term];
    if (member !== undefined) return member;
    const rendered = utf8.encode(render(this.#termAt(term)));
    known[term] = rendered;
    return rendered;
  }

  #writeProduct(term: number, product: number): void {
    const { termStart, productSlug, productSlugStart } = this.#columns;
    const label = this.#labels;
    const out = this.#batch;
    label.enter(termStart[term], termStart[term + 1]);
    label.row(LABEL_MEMBERS);
    out.integer(label.wholeNumber());
    this.#writeString(NAME, label);
    out.piece(SLUG);
    out.jsonString(productSlug, productSlugStart[product], productSlugStart[product + 1]);
    out.piece(END_OBJECT);
  }
}

function weakness([id, name]: WeaknessTerm): string {
  return `{"id":${numberOrNull(id)},"name":${textOrNull(name)}}`;
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : quote(text);
}

function sharedBytes(size: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(size));
}

/** Version texts as JSON string contents; rows [firstCompleted, lastCompleted) are completed as semver bounds. */
function versionPool(
  { versionText, versionTextStart }: IndexColumns,
  firstCompleted: number,
  lastCompleted: number,
): TextPool {
  const versionCount = versionTextStart.length - 1;
  const out = new ByteWriter(sharedBytes, versionText.length * 2, MAX_ITEM_BYTES);
  const starts = new Uint32Array(new SharedArrayBuffer(versionTextStart.byteLength));
  for (let version = 0; version < versionCount; version++) {
    const start = versionTextStart[version];
    const end = versionTextStart[version + 1];
    if (version < firstCompleted || version >= lastCompleted) {
      out.jsonContent(versionText, start, end);
    } else {
      const completed = utf8.encode(completeSemver(fromUtf8.decode(versionText.subarray(start, end))));
      out.jsonContent(completed, 0, completed.length);
    }
    starts[version + 1] = out.length;
  }
  return { bytes: out.view(), starts };
}
