// The drafts of all sources: their texts in a scratch file, what decides which of them belong together as
// numbers in memory. An id is one number wherever it occurs, so comparing numbers compares ids.
//
//   ids of a draft   source_id? | its GHSA id, if another | CVE ids | other names
//                                                         cveStart  nameStart     idEnd

import { RowReader, RowSpill } from '../../files/spill.ts';
import { normaliseAlias } from '../../index/lookup/alias-table.ts';
import { GrowableF64, GrowableU8, GrowableU32 } from '../../index/memory/growable.ts';
import type { ProductType } from '../../index/product-type.ts';
import type { RecordKey } from '../ids/id-registry.ts';
import { type PackedDraft, type PackedKeys, type StoredDraft, unpackDraft } from '../packed-draft.ts';
import { isGhsa } from '../record/advisory-id.ts';
import type { DraftRecord } from '../source.ts';
import { TextTable } from '../text-table.ts';

interface ProductKey {
  readonly type: ProductType;
  /** As it is looked up. */
  readonly slug: string;
}

const IS_REPORT = 1;
const IS_WITHDRAWN = 2;
const IS_CLOSURE = 4;

export class DraftStore {
  readonly #rows: RowSpill;
  /** Of the rows so far. */
  #reader: RowReader | undefined;
  readonly #source = new GrowableU32();
  readonly #product = new GrowableU32();
  readonly #sourceId = new GrowableU32();
  /** One more than the number of the record's `source_id`; 0 if it has none. */
  readonly #self = new GrowableU32();
  /** One more than the number of the GHSA id that is its own; 0 if it has none. */
  readonly #ghsa = new GrowableU32();
  readonly #flags = new GrowableU8();
  readonly #ownNumber = new GrowableF64();
  readonly #productNumber = new GrowableF64();
  readonly #cveStart = new GrowableU32();
  readonly #nameStart = new GrowableU32();
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
    const [self, ghsa] = [this.#intern(keys.self), this.#intern(keys.ghsa)];
    this.#self.push(self);
    this.#ghsa.push(ghsa);
    this.#flags.push(
      (keys.isMalwareReport ? IS_REPORT : 0) |
        (keys.isWithdrawn ? IS_WITHDRAWN : 0) |
        (keys.isClosure ? IS_CLOSURE : 0),
    );
    this.#ownNumber.push(keys.ownNumber ?? Number.NaN);
    this.#productNumber.push(keys.productNumber ?? Number.NaN);
    if (self !== 0) this.#ids.push(self - 1);
    if (ghsa !== 0 && ghsa !== self) this.#ids.push(ghsa - 1);
    this.#cveStart.push(this.#ids.length);
    for (const id of keys.cves) this.#ids.push(this.#idTexts.intern(id));
    this.#nameStart.push(this.#ids.length);
    for (const id of keys.names) this.#ids.push(this.#idTexts.intern(id));
    this.#idEnd.push(this.#ids.length);
  }

  #intern(id: string): number {
    return id === '' ? 0 : this.#idTexts.intern(id) + 1;
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

  /** The id that identifies the draft in its source. */
  sourceIdText(draft: number): string {
    return this.#sourceIds.textAt(this.sourceIdAt(draft));
  }

  /** The id under which its database publishes it; undefined if the record does not say. */
  selfAt(draft: number): number | undefined {
    const self = this.#self.at(draft);
    return self === 0 ? undefined : self - 1;
  }

  /** The GHSA id that is its own; it may be `selfAt`. */
  ghsaAt(draft: number): number | undefined {
    const ghsa = this.#ghsa.at(draft);
    return ghsa === 0 ? undefined : ghsa - 1;
  }

  /** What its source says are its CVE ids. */
  cvesAt(draft: number): Uint32Array {
    return this.#ids.view().subarray(this.#cveStart.at(draft), this.#nameStart.at(draft));
  }

  /** All other ids of the record. */
  namesAt(draft: number): Uint32Array {
    return this.#ids.view().subarray(this.#nameStart.at(draft), this.#idEnd.at(draft));
  }

  isMalwareReport(draft: number): boolean {
    return (this.#flags.at(draft) & IS_REPORT) !== 0;
  }

  isWithdrawn(draft: number): boolean {
    return (this.#flags.at(draft) & IS_WITHDRAWN) !== 0;
  }

  /** Whether it names another GHSA id than its own: its ids are then those of several vulnerabilities. */
  isClosure(draft: number): boolean {
    return (this.#flags.at(draft) & IS_CLOSURE) !== 0;
  }

  /** An id as it is compared. */
  idText(id: number): string {
    return this.#idTexts.textAt(id);
  }

  /** The number of an id that a draft has, in any of its roles. */
  findId(id: string): number | undefined {
    return this.#idTexts.find(normaliseAlias(id));
  }

  isGhsaId(id: number): boolean {
    return isGhsa(this.idText(id));
  }

  /** Reads the stored record, which takes time. */
  recordAt(draft: number): DraftRecord {
    return this.read(draft).record;
  }

  /** Whether the draft has this id, in any of its roles, for this product. */
  isAbout(draft: number, { sourceId, type, slug }: RecordKey): boolean {
    if (this.#products.find(`${type}/${slug}`) !== this.productAt(draft)) return false;
    const id = this.findId(sourceId);
    const start = draft === 0 ? 0 : this.#idEnd.at(draft - 1);
    return id !== undefined && this.#ids.view().subarray(start, this.#idEnd.at(draft)).includes(id);
  }

  /** The id that the draft brings with it; undefined if the registry must give it one. */
  ownNumberAt(draft: number): number | undefined {
    const number = this.#ownNumber.at(draft);
    return Number.isNaN(number) ? undefined : number;
  }

  /** The number of its product that the draft brings with it. */
  productNumberAt(draft: number): number | undefined {
    const number = this.#productNumber.at(draft);
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
