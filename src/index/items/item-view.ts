// The fields of a prepared item, found in its bytes: as JSON to be copied into an answer, or decoded. Writers
// of any dialect read an advisory through this, so its texts are in memory once. What a column already has
// (ids, dates, flags) is read there; item-layout.ts says where the rest is.

import { versionText } from '../column-texts.ts';
import { type IndexColumns, NONE } from '../columns.ts';
import { type Span, upperBoundOf } from '../lookup/interval.ts';
import type { ByteWriter } from '../memory/byte-writer.ts';
import { PRODUCT_TYPE_TABLE } from '../product-type.ts';
import { endOfSpans, firstSpan } from '../span-list.ts';
import {
  BEYOND_MARKS,
  END_ITEM,
  FIELD_NAMES,
  INSTANT_BYTES,
  ITEM_FIELDS,
  type ItemField,
  MARKED_FIELDS,
} from './item-layout.ts';
import { quote } from './json-text.ts';
import type { ItemPlace, PreparedItems } from './prepared-items.ts';

const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true }); // U+FEFF may begin a text like any character
const utf8 = new TextEncoder();

const KINDS = FIELD_NAMES.map((name) => ITEM_FIELDS[name].kind);
const BEFORE_BYTES = FIELD_NAMES.map((name) => ITEM_FIELDS[name].before.length); // ASCII
const FIELD_NUMBERS = Object.fromEntries(FIELD_NAMES.map((name, i) => [name, i])) as Readonly<
  Record<ItemField, number> // an entry for each name
>;
const MARKED = MARKED_FIELDS.map((name) => FIELD_NUMBERS[name]);
/** By field: how many marks are at it or before it. */
const MARKS_UP_TO = FIELD_NAMES.map((_, field) => MARKED.filter((marked) => marked <= field).length);
const LAST_FIELD = FIELD_NAMES.length - 1;
/** By type code: bytes that the prefix of the platform takes in a title. */
const PREFIX_BYTES = PRODUCT_TYPE_TABLE.map(
  ({ titlePrefix }) => utf8.encode(quote(titlePrefix)).length - 2, // without the quotes
);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const END_LIST = 0x5d;
const END_OBJECT = 0x7d;
const QUOTE_PIECE = Uint8Array.of(QUOTE);
const NOTHING = new Uint8Array(0);
const NO_MARKS = new Uint16Array(0);

/** What a view needs of a generation. */
interface ViewedGeneration {
  readonly parts: { readonly columns: IndexColumns };
  readonly items: PreparedItems;
}

/** A view is set on one advisory at a time. Reading a field moves `start` and `end`. */
export class ItemView {
  readonly #columns: IndexColumns;
  readonly #items: PreparedItems;
  readonly #place: ItemPlace = {
    bytes: NOTHING,
    start: 0,
    end: 0,
    marks: NO_MARKS,
    firstMark: 0,
    tailBytes: 0,
  };
  #ordinal = 0;
  /** The field that `find` was last called for is bytes[start..end), as JSON. */
  bytes: Uint8Array = NOTHING;
  start = 0;
  end = 0;

  constructor({ parts, items }: ViewedGeneration) {
    this.#columns = parts.columns;
    this.#items = items;
  }

  enter(ordinal: number): this {
    this.#ordinal = ordinal;
    this.#items.locate(ordinal, this.#place);
    this.bytes = this.#place.bytes;
    return this;
  }

  /** Moves `start` and `end` to a field: a JSON value, or the elements of a list without its brackets. */
  find(name: ItemField): this {
    const field = FIELD_NUMBERS[name];
    this.start = this.#valueOf(field);
    if (field === LAST_FIELD) this.end = this.#place.end - END_ITEM.length;
    else if (this.#knowsStart(field + 1)) this.end = this.#valueOf(field + 1) - BEFORE_BYTES[field + 1];
    else this.end = this.#endOf(field, this.start);
    return this;
  }

  /** Appends a field as JSON, as `find` describes it. */
  write(out: ByteWriter, name: ItemField): void {
    this.find(name);
    out.copy(this.bytes, this.start, this.end);
  }

  /** Appends the title as a JSON string, without the prefix of its platform. */
  writeBareTitle(out: ByteWriter): void {
    this.find('title');
    out.piece(QUOTE_PIECE);
    out.copy(this.bytes, this.start + 1 + this.#prefixBytes(), this.end);
  }

  /** A field decoded; null if it is null. Requires: a text or an instant. */
  text(name: ItemField): string | null {
    this.find(name);
    return ITEM_FIELDS[name].kind === 'instant' ? this.#decoded(this.start, this.end) : this.#textHere();
  }

  bareTitle(): string {
    this.find('title');
    return decodeContent(this.bytes, this.start + 1 + this.#prefixBytes(), this.end - 1);
  }

  /** A field decoded; null if it is null. Requires: a number. */
  number(name: ItemField): number | null {
    this.find(name);
    const text = this.#decoded(this.start, this.end);
    return text === 'null' ? null : Number(text);
  }

  references(): string[] {
    const texts: string[] = [];
    for (let isOne = this.firstReference(); isOne; isOne = this.nextReference()) {
      texts.push(decodeContent(this.bytes, this.start + 1, this.end - 1));
    }
    return texts;
  }

  /** Moves `start` and `end` to the first reference, a JSON string. False when there is none. */
  firstReference(): boolean {
    return this.#referenceAt(this.#valueOf(FIELD_NUMBERS.references));
  }

  /** Moves them to the next reference. False after the last. Requires: no field was read in between. */
  nextReference(): boolean {
    return this.bytes[this.end] === COMMA && this.#referenceAt(this.end + 1);
  }

  /** The spans of the advisory, in the order of the columns. */
  spans(): Span[] {
    const { spanFrom, spanTo, spanToBound, spanFixedIn } = this.#columns;
    const spans: Span[] = [];
    const end = endOfSpans(this.#columns, this.#ordinal);
    for (let span = firstSpan(this.#columns, this.#ordinal); span < end; span++) {
      spans.push({
        from: this.#version(spanFrom[span]),
        to: this.#version(spanTo[span]),
        toBound: upperBoundOf(spanToBound[span]),
        fixedIn: this.#version(spanFixedIn[span]),
      });
    }
    return spans;
  }

  #version(row: number): string | null {
    return row === NONE ? null : versionText(this.#columns, row);
  }

  #prefixBytes(): number {
    const { advisoryProduct, productType } = this.#columns;
    return PREFIX_BYTES[productType[advisoryProduct[this.#ordinal]]];
  }

  #referenceAt(at: number): boolean {
    if (this.bytes[at] === END_LIST) return false;
    this.start = at;
    this.end = this.#endOfText(at);
    return true;
  }

  #textHere(): string | null {
    if (this.bytes[this.start] !== QUOTE) return null;
    return decodeContent(this.bytes, this.start + 1, this.end - 1);
  }

  #decoded(start: number, end: number): string {
    return decodeUtf8(this.bytes, start, end);
  }

  /** Whether the place of a field is known without stepping over others. */
  #knowsStart(field: number): boolean {
    if (field === LAST_FIELD) return true;
    const mark = MARKS_UP_TO[field] - 1;
    return mark >= 0 && MARKED[mark] === field && this.#markAt(mark) !== BEYOND_MARKS;
  }

  #markAt(mark: number): number {
    return this.#place.marks[this.#place.firstMark + mark];
  }

  /** Where the value of a field begins. */
  #valueOf(wanted: number): number {
    if (wanted === LAST_FIELD) return this.#place.end - this.#place.tailBytes;
    let mark = MARKS_UP_TO[wanted] - 1;
    while (mark >= 0 && this.#markAt(mark) === BEYOND_MARKS) mark--;
    let field = mark < 0 ? 0 : MARKED[mark];
    let at = this.#place.start + (mark < 0 ? BEFORE_BYTES[0] : this.#markAt(mark));
    while (field < wanted) {
      at = this.#endOf(field, at);
      field++;
      at += BEFORE_BYTES[field];
    }
    return at;
  }

  /**
   * Where the value of a field that begins at `at` ends. Not for a list, which ends where the next field
   * begins.
   */
  #endOf(field: number, at: number): number {
    switch (KINDS[field]) {
      case 'instant':
        return at + INSTANT_BYTES;
      case 'text':
        return this.bytes[at] === QUOTE ? this.#endOfText(at) : this.#endOfScalar(at);
      case 'scalar':
        return this.#endOfScalar(at);
      case 'texts':
        return this.#endOfTexts(at);
      case 'list':
        throw new RangeError('a list of objects ends where the next field begins');
    }
  }

  #endOfText(at: number): number {
    const { bytes } = this;
    let i = at + 1;
    while (bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
    return i + 1;
  }

  #endOfScalar(at: number): number {
    const { bytes } = this;
    let i = at;
    while (bytes[i] !== COMMA && bytes[i] !== END_OBJECT) i++;
    return i;
  }

  #endOfTexts(at: number): number {
    const { bytes } = this;
    let i = at;
    while (bytes[i] !== END_LIST) i = bytes[i] === COMMA ? i + 1 : this.#endOfText(i);
    return i;
  }
}

function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  return fromUtf8.decode(bytes.slice(start, end)); // copied: the decoder does not accept shared memory
}

/** The content of a JSON string. */
function decodeContent(bytes: Uint8Array, start: number, end: number): string {
  const text = decodeUtf8(bytes, start, end);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text; // a string literal gives a string
}
