// Which number an advisory or a product has, for good: a text file that is only appended to, so that a
// snapshot made from newer exports keeps every id. It is read and written under its lock, by one command at a
// time.
//
//   vulndex-ids <tab> 1                                                            the format and its version
//   advisory <tab> number <tab> first seen <tab> source <tab> source id <tab> type <tab> slug
//   product  <tab> number <tab> first seen <tab>        <tab>           <tab> type <tab> slug
//
// Several records of one advisory have the same number. A later line for a record replaces an earlier one: it
// became an advisory of its own. A later line for a number with another product moves it there: the source
// corrected the product. Only a record that has the number can move it, and records that stay behind have
// none then. Tabs, line ends and backslashes in texts are escaped as \t, \n, \r and \\.

import assert from 'node:assert/strict';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { GrowableF64, GrowableU32 } from '../../index/memory/growable.ts';
import { canonicalId } from '../record/advisory-id.ts';
import { TextTable } from '../text-table.ts';
import { appendToRegistry, type RegistryContent, readRegistry } from './registry-file.ts';
import { formatLine, type RegistryLine } from './registry-lines.ts';

/** Ids that feeds and servers bring along are usually below it. */
export const FIRST_NUMBER = 1_000_000_000;
/** New numbers continue after the greatest below it: a huge id of a feed does not move them. */
const END_OF_NUMBERS = 2 ** 40;
const PIECE_CHARS = 1 << 16;

/** A record of a source, about one product. */
export interface RecordKey {
  /** The kind of source: adding another source, or naming it otherwise, changes no id. */
  readonly source: string;
  readonly sourceId: string;
  readonly type: string;
  readonly slug: string;
}

interface ProductNumbers {
  /** What a source says is the product's number. */
  readonly own?: number | undefined;
  /** Refuses new numbers. */
  readonly isTaken?: (number: number) => boolean;
}

export class IdRegistry {
  readonly #file: string;
  readonly #nowSeconds: number;
  readonly #keys = new TextTable();
  readonly #products = new TextTable();
  /** By key: the row of its number. */
  readonly #rowOfKey: number[] = [];
  /** By product: its number, if it has one. */
  readonly #numberOfProduct: number[] = [];
  readonly #productNumbers = new Set<number>();
  /** Rows of advisories' numbers. */
  readonly #rows = new Map<number, number>();
  readonly #number = new GrowableF64();
  readonly #firstSeen = new GrowableF64();
  readonly #product = new GrowableU32();
  /** The first record that got the number, for its product. */
  readonly #firstKey = new GrowableU32();
  #nextNumber = FIRST_NUMBER;
  #nextProduct = FIRST_NUMBER;
  readonly #content: RegistryContent;
  readonly #pending = new PendingLines();
  /** What was wrong with the file and will be put right by `changes`: whole sentences. */
  readonly warnings: readonly string[];

  /**
   * Reads the file, if there is one. `nowSeconds` is when new keys are first seen. Throws RegistryError.
   * Requires: its lock is held from here until its changes are appended.
   */
  constructor(file: string, nowSeconds: number) {
    this.#file = file;
    this.#nowSeconds = nowSeconds;
    this.#content = readRegistry(file, (line) => this.#enter(line));
    this.warnings = this.#content.warnings;
  }

  /** The record's number, or undefined if it is new. */
  numberOf(key: RecordKey): number | undefined {
    const row = this.#rowOf(key);
    if (row === undefined || this.#product.at(row) !== this.#products.find(productText(key)))
      return undefined;
    return this.#number.at(row);
  }

  /** The row of the record's number, also if the number has moved to another product. */
  #rowOf(key: RecordKey): number | undefined {
    const known = this.#keys.find(keyText(key));
    return known === undefined ? undefined : this.#rowOfKey[known];
  }

  /**
   * By source and id, as `recordText` writes them: the numbers that those records have for some product, with
   * the product.
   */
  numbersOf(
    records: ReadonlySet<string>,
  ): Map<string, { readonly number: number; readonly key: RecordKey }[]> {
    const found = new Map<string, { readonly number: number; readonly key: RecordKey }[]>();
    for (let known = 0; known < this.#keys.length; known++) {
      const key = this.#keyAt(known);
      const text = recordText(key);
      const number = records.has(text) ? this.numberOf(key) : undefined;
      if (number === undefined) continue;
      const others = found.get(text);
      if (others === undefined) found.set(text, [{ number, key }]);
      else others.push({ number, key });
    }
    return found;
  }

  #keyAt(known: number): RecordKey {
    const [source, sourceId, type, slug] = this.#keys.textAt(known).split('\0');
    return { source, sourceId, type, slug };
  }

  /** Whether no record has a number. */
  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** The record that got the number first; undefined if nothing has it. */
  holderOf(number: number): RecordKey | undefined {
    const row = this.#rows.get(number);
    return row === undefined ? undefined : this.#keyAt(this.#firstKey.at(row));
  }

  /** Epoch seconds; now for a number that is not registered yet. */
  firstSeenOf(number: number): number {
    const row = this.#rows.get(number);
    return row === undefined ? this.#nowSeconds : this.#firstSeen.at(row);
  }

  /**
   * A number that nothing has, and that `isTaken` does not refuse. It is not registered yet, but not issued
   * again.
   */
  issueNumber(isTaken: (number: number) => boolean): number {
    while (this.#rows.has(this.#nextNumber) || isTaken(this.#nextNumber)) this.#nextNumber++;
    return this.#nextNumber++;
  }

  /**
   * Gives the record this number from now on. Requires: no other product has it, or the record has it for
   * that product.
   */
  register(key: RecordKey, number: number): void {
    if (this.numberOf(key) === number) return;
    const line: RegistryLine = { kind: 'advisory', number, firstSeen: this.#nowSeconds, ...key };
    const problem = this.#enter(line);
    assert(problem === undefined, problem);
    this.#pending.add(line);
  }

  /** The product's number; undefined if it is new. */
  findProductNumber(type: string, slug: string): number | undefined {
    const known = this.#products.find(productText({ type, slug }));
    return known === undefined ? undefined : this.#numberOfProduct[known];
  }

  /**
   * The product's number. A new product gets the one that its source has for it, unless that is another
   * product's; else a new one.
   */
  productNumber(type: string, slug: string, { own, isTaken }: ProductNumbers = {}): number {
    const known = this.findProductNumber(type, slug);
    if (known !== undefined) return known;
    if (own !== undefined && this.#productNumbers.has(own)) return own;
    while (isTaken?.(this.#nextProduct)) this.#nextProduct++;
    const firstSeen = this.#nowSeconds;
    const number = own ?? this.#nextProduct;
    const line = { kind: 'product', number, firstSeen, source: '', sourceId: '' } as const;
    this.#enter({ ...line, type, slug });
    this.#pending.add({ ...line, type, slug });
    return number;
  }

  /**
   * What appends everything that is new by now, and returns when it is on disk. It throws RegistryError, and
   * the file is then as it was. To be called at most once; it does not hold on to the registry.
   */
  changes(): () => void {
    const file = this.#file;
    const { totalBytes, validBytes } = this.#content;
    const change = { totalBytes, validBytes, lines: this.#pending.take() };
    return () => appendToRegistry(file, change);
  }

  /** Takes a line in, or returns why it contradicts those before it. */
  #enter(line: RegistryLine): string | undefined {
    const product = this.#products.intern(productText(line));
    if (line.kind === 'product') return this.#enterProduct(line.number, product);
    let row = this.#rows.get(line.number);
    const key = this.#keys.intern(keyText(line));
    if (row === undefined) {
      row = this.#number.length;
      this.#rows.set(line.number, row);
      this.#number.push(line.number);
      this.#firstSeen.push(line.firstSeen);
      this.#product.push(product);
      this.#firstKey.push(key);
    } else if (this.#product.at(row) !== product) {
      const [type, slug] = this.#products.textAt(this.#product.at(row)).split('\0');
      if (this.#rowOf({ ...line, type, slug }) !== row) {
        return `${line.number} is already the number of ${describeHolder(this.holderOf(line.number))}`;
      }
      this.#product.set(row, product);
      this.#firstKey.set(row, key);
    }
    this.#rowOfKey[key] = row;
    if (line.number >= this.#nextNumber && line.number < END_OF_NUMBERS) this.#nextNumber = line.number + 1;
    return undefined;
  }

  #enterProduct(number: number, product: number): string | undefined {
    if (this.#productNumbers.has(number)) return `${number} is already the number of another product`;
    if (this.#numberOfProduct[product] !== undefined) return 'this product already has a number';
    this.#productNumbers.add(number);
    this.#numberOfProduct[product] = number;
    if (number >= this.#nextProduct && number < END_OF_NUMBERS) this.#nextProduct = number + 1;
    return undefined;
  }
}

/**
 * Lines to append, deflated: they are kept until the records are compiled, and hundreds of thousands of them
 * are tens of megabytes of text, or several times as much of objects.
 */
class PendingLines {
  readonly #pieces: Uint8Array[] = [];
  #text = '';

  add(line: RegistryLine): void {
    this.#text += `${formatLine(line)}\n`;
    if (this.#text.length >= PIECE_CHARS) this.#endPiece();
  }

  /** Whole lines, in pieces. */
  take(): Iterable<Uint8Array> & { readonly length: number } {
    if (this.#text !== '') this.#endPiece();
    const pieces = this.#pieces;
    return {
      length: pieces.length,
      *[Symbol.iterator]() {
        for (const piece of pieces) yield inflateRawSync(piece);
      },
    };
  }

  #endPiece(): void {
    this.#pieces.push(new Uint8Array(deflateRawSync(this.#text, { level: 1 }))); // a copy of just these bytes
    this.#text = '';
  }
}

/** For messages. */
export function describeHolder(key: RecordKey | undefined): string {
  return key === undefined ? 'nothing' : `${key.source} ${key.sourceId} of ${key.type}/${key.slug}`;
}

/** Names a record of a source, whatever its product. */
export function recordText({ source, sourceId }: Pick<RecordKey, 'source' | 'sourceId'>): string {
  return `${source}\0${canonicalId(sourceId)}`;
}

// No slug or source id that passes the checks of a record contains a zero byte; if one did, only its own key
// would change.
function keyText({ type, slug, ...record }: RecordKey): string {
  return `${recordText(record)}\0${type}\0${slug}`;
}

function productText({ type, slug }: { readonly type: string; readonly slug: string }): string {
  return `${type}\0${slug}`;
}
