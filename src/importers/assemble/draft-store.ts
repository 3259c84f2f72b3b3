// The drafts of all sources: their texts in a scratch file, what decides which of them belong together as numbers in
// memory. An id is one number wherever it occurs, so comparing numbers compares ids.

import { RowReader, RowSpill } from '../../files/spill.ts';
import { normaliseAlias } from '../../index/lookup/alias-table.ts';
import { GrowableF64, GrowableU32 } from '../../index/memory/growable.ts';
import type { ProductType } from '../../index/product-type.ts';
import type { RecordKey } from '../ids/id-registry.ts';
import { type PackedDraft, type PackedKeys, type StoredDraft, unpackDraft } from '../packed-draft.ts';
import { TextTable } from '../text-table.ts';
import type { DraftKeys } from './group.ts';

export interface ProductKey {
  readonly type: ProductType;
  /** As it is looked up. */
  readonly slug: string;
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

  /** Stores a draft without problems. */
  add(source: number, { row, keys }: Omit<PackedDraft, 'keys'> & { readonly keys: PackedKeys }): void {
    this.#rows.append(row);
    this.#reader = undefined;
    this.#source.push(source);
    this.#product.push(this.#products.intern(keys.product));
    this.#sourceId.push(this.#sourceIds.intern(keys.sourceId));
    this.#self.push(keys.self === '' ? 0 : this.#idTexts.intern(keys.self) + 1);
    this.#ownNumber.push(keys.ownNumber ?? Number.NaN);
    for (const id of keys.ids) this.#ids.push(this.#idTexts.intern(id));
    this.#idEnd.push(this.#ids.length);
  }

  read(draft: number): StoredDraft {
    return unpackDraft(this.rowAt(draft));
  }

  /** The packed draft: a view that is valid until the next call of this or `read`. */
  rowAt(draft: number): Buffer {
    this.#reader ??= new RowReader(this.#rows.finish());
    return this.#reader.row(draft);
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
