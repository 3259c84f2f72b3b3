// Writes the item of one advisory, as prepared JSON: what listings and lookups show of it. item-layout.ts has
// the layout. A snapshot says how many bytes each item takes, so a change of these bytes is a change of the
// snapshot format.

import { textAt } from '../column-texts.ts';
import { type IndexColumns, isExploited, NONE, numberOf, patchPriority } from '../columns.ts';
import { ByteWriter, type TextPool } from '../memory/byte-writer.ts';
import { PackedCursor } from '../memory/packed-cursor.ts';
import { PRODUCT_TYPE_TABLE } from '../product-type.ts';
import { endOfSpans, firstSpan, type SpanListColumns } from '../span-list.ts';
import { asPublished, SCHEME_TABLE } from '../versions/version-key.ts';
import { fixRange, writeAffected } from './affected-range.ts';
import { writeInstant } from './instant.ts';
import { BEYOND_MARKS, before, END_ITEM, MARKED_FIELDS } from './item-layout.ts';
import { quote } from './json-text.ts';
import type { VersionPools } from './list-item.ts';
import { TermMembers } from './term-members.ts';

const LISTED_TEXT_MEMBERS = 5;
const LABEL_MEMBERS = 3;
const MAX_POOL_BYTES = 2 ** 32 - 1; // the pool's starts have 32 bits

const utf8 = new TextEncoder();

const LISTED_FLAGS = 7; // exploited and priority
const FLAG_MEMBERS = Array.from({ length: LISTED_FLAGS + 1 }, (_, flags) =>
  utf8.encode(
    `${before('isExploited')}${isExploited(flags)}${before('patchPriority')}${patchPriority(flags)}${before('productId')}`,
  ),
);

// The text between the values, in few long pieces: each piece costs as much as a dozen bytes.
const ID = utf8.encode(before('id'));
const TITLE = utf8.encode(before('title'));
/** By type code: the prefix of a title, with and without the name of the member; undefined for none. */
const TITLE_PREFIXES = PRODUCT_TYPE_TABLE.map(({ titlePrefix }) =>
  titlePrefix === ''
    ? undefined
    : {
        text: utf8.encode(titlePrefix),
        member: utf8.encode(`${before('title')}${quote(titlePrefix).slice(0, -1)}`),
      },
);
const DISCLOSED_AT = utf8.encode(before('disclosedAt'));
const CREATED_AT = utf8.encode(before('createdAt'));
const URL = utf8.encode(before('url'));
const VULN_TYPE_BYTES = before('vulnType').length;
const CVSS_BYTES = before('cvssScore').length;
const AFFECTED_BYTES = before('affected').length;
const NAME = utf8.encode(before('productName'));
const SLUG = utf8.encode(before('productSlug'));
const REFERENCES = utf8.encode(before('references'));
const AFFECTED = utf8.encode(`${before('affected')}"`);
const PATCHED_RANGES = utf8.encode(`"${before('patchedRanges')}`);
const NOT_PATCHED_FIXED = utf8.encode(`"${before('patchedRanges')}${before('fixed')}`);
const FIXED = utf8.encode(before('fixed'));
const NO_FIX = utf8.encode('""');
const END = utf8.encode(END_ITEM);
const COMMA = utf8.encode(',');
const QUOTE = utf8.encode('"');

/** The columns of which items are made. */
export type ItemColumns = Pick<
  IndexColumns,
  | 'advisoryId'
  | 'advisoryDisclosedAt'
  | 'advisoryCreatedAt'
  | 'wideNumber'
  | 'advisoryFlags'
  | 'advisoryProduct'
  | 'advisoryLabel'
  | 'advisoryTraits'
  | 'traitsVulnType'
  | 'traitsCvss'
  | 'traitsCwe'
  | 'traitsCapec'
  | keyof SpanListColumns
  | 'spanFrom'
  | 'spanTo'
  | 'spanToBound'
  | 'spanFixedIn'
  | 'versionSchemeStart'
  | 'versionTextStart'
  | 'versionText'
  | 'versionKeyStart'
  | 'termStart'
  | 'termBytes'
  | 'productType'
  | 'productSlugStart'
  | 'productSlug'
  | 'productNumber'
>;

/** In shared memory. */
export function poolVersions(columns: ItemColumns): VersionPools {
  return { versionJson: versionPool(columns, false), versionRange: versionPool(columns, true) };
}

/** Appends items to a buffer, in any order. */
export class ItemWriter {
  readonly #columns: ItemColumns;
  readonly #versions: VersionPools;
  readonly #out: ByteWriter;
  readonly #members: TermMembers;
  readonly #labels: PackedCursor;
  #begun = 0;
  #marked = 0;
  /** Of the item that was written last: see ListItems. */
  readonly marks = new Uint16Array(MARKED_FIELDS.length);
  tailBytes = 0;

  constructor(
    columns: ItemColumns,
    versions: VersionPools,
    termAt: (term: number) => unknown,
    out: ByteWriter,
  ) {
    this.#columns = columns;
    this.#versions = versions;
    this.#out = out;
    this.#members = new TermMembers(termAt);
    this.#labels = new PackedCursor(columns.termBytes);
  }

  /**
   * Appends an item, with the comma after it, from the row at the cursor. Throws PackedError when there is no
   * such row, WriterFullError when the buffer may not grow.
   */
  write(ordinal: number, row: PackedCursor): void {
    const out = this.#out;
    this.#begun = out.length;
    this.#marked = 0;
    const { highest } = fixRange(this.#columns, ordinal);
    this.#writeHead(ordinal, row);
    const tail = out.length;
    if (highest === NONE) out.piece(NO_FIX);
    else this.#writeVersion(highest);
    out.piece(END);
    this.tailBytes = out.length - tail;
  }

  /** Marks the start of a value: `bytesBefore` bytes from here. Called for MARKED_FIELDS in order. */
  #mark(bytesBefore: number): void {
    const offset = this.#out.length - this.#begun + bytesBefore;
    this.marks[this.#marked++] = offset < BEYOND_MARKS ? offset : BEYOND_MARKS;
  }

  /** Everything before the value of `fixed`. */
  #writeHead(ordinal: number, row: PackedCursor): void {
    const columns = this.#columns;
    const out = this.#out;
    const product = columns.advisoryProduct[ordinal];
    row.row(LISTED_TEXT_MEMBERS);
    out.piece(ID);
    out.integer(columns.advisoryId[ordinal]);
    this.#writeTitle(row, TITLE_PREFIXES[columns.productType[product]]);
    this.#mark(DISCLOSED_AT.length);
    out.piece(DISCLOSED_AT);
    writeInstant(out, numberOf(columns, columns.advisoryDisclosedAt[ordinal]));
    out.piece(CREATED_AT);
    writeInstant(out, numberOf(columns, columns.advisoryCreatedAt[ordinal]));
    this.#writeString(URL, row);
    this.#mark(VULN_TYPE_BYTES);
    const traits = columns.advisoryTraits[ordinal];
    this.#writeString(this.#members.vulnType(columns.traitsVulnType[traits]), row);
    out.piece(FLAG_MEMBERS[columns.advisoryFlags[ordinal] & LISTED_FLAGS]);
    this.#writeProduct(columns.advisoryLabel[ordinal], product);
    this.#mark(CVSS_BYTES);
    out.piece(this.#members.cvss(columns.traitsCvss[traits]));
    out.piece(this.#members.cwe(columns.traitsCwe[traits]));
    this.#writeString(this.#members.capec(columns.traitsCapec[traits]), row);
    this.#mark(REFERENCES.length);
    out.piece(REFERENCES);
    const referenceCount = row.array();
    for (let i = 0; i < referenceCount; i++) {
      row.string();
      if (i > 0) out.piece(COMMA);
      out.jsonString(row.bytes, row.start, row.end);
    }
    this.#mark(AFFECTED_BYTES);
    out.piece(AFFECTED);
    writeAffected(out, columns, ordinal, this.#versions.versionRange);
    this.#writePatchedRanges(ordinal);
  }

  /** A title carries the prefix of its platform exactly once. */
  #writeTitle(row: PackedCursor, prefix: (typeof TITLE_PREFIXES)[number]): void {
    row.string();
    const { bytes, start, end } = row;
    const out = this.#out;
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
    this.#out.piece(name);
    this.#out.jsonString(row.bytes, row.start, row.end);
  }

  #writeVersion(version: number): void {
    this.#out.piece(QUOTE);
    if (version !== NONE) this.#out.pooled(this.#versions.versionJson, version);
    this.#out.piece(QUOTE);
  }

  /** The spans with a fix if there are at least two, otherwise none. Also the name of the next member. */
  #writePatchedRanges(ordinal: number): void {
    const { spanFrom, spanTo, spanFixedIn } = this.#columns;
    const first = firstSpan(this.#columns, ordinal);
    const last = endOfSpans(this.#columns, ordinal);
    let fixedCount = 0;
    for (let span = first; span < last; span++) if (spanFixedIn[span] !== NONE) fixedCount++;
    const out = this.#out;
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

  #writeProduct(term: number, product: number): void {
    const { termStart, productSlug, productSlugStart, productNumber } = this.#columns;
    const label = this.#labels;
    const out = this.#out;
    label.enter(termStart[term], termStart[term + 1]);
    label.row(LABEL_MEMBERS);
    out.integer(label.nil() ? numberOf(this.#columns, productNumber[product]) : label.wholeNumber());
    const [start, end] = [productSlugStart[product], productSlugStart[product + 1]];
    if (label.nil()) {
      out.piece(NAME);
      out.jsonString(productSlug, start, end);
    } else this.#writeString(NAME, label);
    out.piece(SLUG);
    out.jsonString(productSlug, start, end);
  }
}

function sharedBytes(size: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(size));
}

/** Version texts as JSON string contents, as published or as bounds for parsers of ranges. */
function versionPool(
  { versionText, versionTextStart, versionSchemeStart }: ItemColumns,
  areBounds: boolean,
): TextPool {
  const out = new ByteWriter(sharedBytes, versionText.length * 2, MAX_POOL_BYTES);
  const starts = new Uint32Array(new SharedArrayBuffer(versionTextStart.byteLength));
  for (const { code, complete } of SCHEME_TABLE) {
    const isCompleted = areBounds && complete !== asPublished;
    for (let version = versionSchemeStart[code]; version < versionSchemeStart[code + 1]; version++) {
      if (isCompleted) {
        const completed = utf8.encode(complete(textAt(versionText, versionTextStart, version)));
        out.jsonContent(completed, 0, completed.length);
      } else {
        out.jsonContent(versionText, versionTextStart[version], versionTextStart[version + 1]);
      }
      starts[version + 1] = out.length;
    }
  }
  return { bytes: out.view(), starts };
}
