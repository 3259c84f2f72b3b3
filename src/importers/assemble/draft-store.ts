// The drafts of all sources: their texts in a scratch file, what decides which of them belong together as numbers in
// memory. An id is one number wherever it occurs, so comparing numbers compares ids.

import { RowReader, RowSpill } from '../../files/spill.ts';
import { MAX_RECORD_BYTES } from '../../index/items/detail-record.ts';
import { normaliseAlias } from '../../index/lookup/alias-table.ts';
import { GrowableF64, GrowableU32 } from '../../index/memory/growable.ts';
import { type ProductType, storedSlug } from '../../index/product-type.ts';
import type { RecordKey } from '../ids/id-registry.ts';
import { type FieldProblem, findLoneSurrogates } from '../record/feed-schema.ts';
import { checkRecord } from '../record/record.ts';
import type { Draft, DraftRecord, Place } from '../source.ts';
import { TextTable } from '../text-table.ts';
import type { DraftKeys } from './group.ts';

/** Stand in for what the registry adds later; their values are valid and not kept. */
const PLACEHOLDERS = { id: 1, created_at: '1970-01-01T00:00:00Z' };
const PLACEHOLDER_PRODUCT = { id: 0 };

export interface ProductKey {
  readonly type: ProductType;
  /** As it is looked up. */
  readonly slug: string;
}

export interface StoredDraft {
  readonly place: Place;
  readonly record: DraftRecord;
}

export class DraftStore implements DraftKeys {
  readonly #rows: RowSpill;
  /** Of the rows so far. */
  #reader: RowReader | undefined;
  readonly #source = new GrowableU32();
  readonly #product = new GrowableU32();
  readonly #sourceId = new GrowableU32();
  /** One more than the number of the record's `source_id`; 0 if it has none. */
  readonly #self = new GrowableU32();
  readonly #ownNumber = new GrowableF64();
  /** Where the draft's ids end in `#ids`. */
  readonly #idEnd = new GrowableU32();
  readonly #ids = new GrowableU32();
  readonly #products = new TextTable();
  readonly #sourceIds = new TextTable();
  /** Ids as they are compared, in any of their roles. */
  readonly #idTexts = new TextTable();

  /** The scratch file goes to `folder`. */
  constructor(folder: string) {
    this.#rows = new RowSpill(folder);
  }

  get length(): number {
    return this.#source.length;
  }

  get productCount(): number {
    return this.#products.length;
  }

  /** Stores the draft; returns why it cannot become an advisory, if so, and then it is not stored. */
  add(source: number, { place, sourceId, record }: Draft): readonly FieldProblem[] {
    const problems: FieldProblem[] = [];
    const product =
      typeof record.product === 'object' && record.product !== null
        ? { ...PLACEHOLDER_PRODUCT, ...record.product }
        : record.product;
    checkRecord({ ...PLACEHOLDERS, ...record, product }, problems);
    const json = JSON.stringify({ place, record });
    if (json.includes('\\ud')) {
      for (const field of findLoneSurrogates(record)) {
        problems.push({ field, message: 'contains half of a surrogate pair, which UTF-8 cannot encode' });
      }
    }
    const bytes = Buffer.from(json);
    if (bytes.length > MAX_RECORD_BYTES) {
      problems.push({
        field: 'record',
        message: `has ${bytes.length} bytes; the limit is ${MAX_RECORD_BYTES}`,
      });
    }
    if (problems.length > 0) return problems;
    this.#rows.append(bytes);
    this.#reader = undefined;
    this.#source.push(source);
    this.#product.push(this.#products.intern(`${record.product.type}/${slugOf(record)}`));
    this.#sourceId.push(this.#sourceIds.intern(sourceId));
    const { source_id: self = '' } = record;
    this.#self.push(self === '' ? 0 : this.#idTexts.intern(normaliseAlias(self)) + 1);
    this.#ownNumber.push(record.id ?? Number.NaN);
    for (const id of comparedIds(record)) this.#ids.push(this.#idTexts.intern(id));
    this.#idEnd.push(this.#ids.length);
    return problems;
  }

  read(draft: number): StoredDraft {
    this.#reader ??= new RowReader(this.#rows.finish());
    return JSON.parse(this.#reader.row(draft).toString()) as StoredDraft; // `add` wrote exactly this
  }

  sourceAt(draft: number): number {
    return this.#source.at(draft);
  }

  productAt(draft: number): number {
    return this.#product.at(draft);
  }

  sourceIdAt(draft: number): number {
    return this.#sourceId.at(draft);
  }

  sourceIdText(draft: number): string {
    return this.#sourceIds.textAt(this.sourceIdAt(draft));
  }

  selfAt(draft: number): number | undefined {
    const self = this.#self.at(draft);
    return self === 0 ? undefined : self - 1;
  }

  idsAt(draft: number): Uint32Array {
    return this.#ids.view().subarray(draft === 0 ? 0 : this.#idEnd.at(draft - 1), this.#idEnd.at(draft));
  }

  /** Whether the draft has this id, in any of its roles, for this product. */
  isAbout(draft: number, { sourceId, type, slug }: RecordKey): boolean {
    if (this.#products.find(`${type}/${slug}`) !== this.productAt(draft)) return false;
    const id = this.#idTexts.find(normaliseAlias(sourceId));
    return id !== undefined && this.idsAt(draft).includes(id);
  }

  /** The id that the draft brings with it; undefined if the registry must give it one. */
  ownNumberAt(draft: number): number | undefined {
    const number = this.#ownNumber.at(draft);
    return Number.isNaN(number) ? undefined : number;
  }

  productKeyAt(draft: number): ProductKey {
    const text = this.#products.textAt(this.productAt(draft));
    const at = text.indexOf('/');
    return { type: text.slice(0, at) as ProductType, slug: text.slice(at + 1) }; // `add` wrote a type there
  }

  close(): void {
    this.#rows.close();
  }
}

function slugOf({ product }: DraftRecord): string {
  return storedSlug(product.type, product.slug);
}

/** Every id that the record has, each once. */
function comparedIds({ source_id, ghsa, cves = [], aliases = [] }: DraftRecord): Set<string> {
  const ids = [source_id, ghsa, ...cves, ...aliases].map((id) => normaliseAlias(id ?? ''));
  return new Set(ids.filter((id) => id !== ''));
}
