// Drafts of several sources to numbered records. First every draft is added; then the records come out, one
// for each advisory: repeated drafts left out, drafts of one advisory merged, numbers from the registry. What
// became of every draft is counted.

import { type ProductType, storedSlug } from '../../index/product-type.ts';
import type { IdRegistry, RecordKey } from '../ids/id-registry.ts';
import {
  canNumber,
  isWithdrawnRow,
  numberedLine,
  type PackedDraft,
  placeOf,
  recordJson,
} from '../packed-draft.ts';
import { withDefaults } from '../record/defaults.ts';
import type { FeedRecord, FieldProblem } from '../record/feed-schema.ts';
import { formatSeconds } from '../record/instant.ts';
import { defaultPsid } from '../record/record.ts';
import { type DraftRecord, formatPlace, type Place, type Reject } from '../source.ts';
import { TextTable } from '../text-table.ts';
import { DraftStore } from './draft-store.ts';
import { groupDrafts } from './group.ts';
import { type Member, mergeRecords } from './merge.ts';
import { type Numbers, numberGroups } from './number-groups.ts';
import type { Preference } from './preference.ts';
import { OwnProductNumbers } from './product-numbers.ts';
import { findRepeats, type Repeat } from './repeats.ts';
import { type SettledIds, type Settlement, withSettledIds } from './settle-ids.ts';
import type { SourceCounts } from './source-counts.ts';

export type AssembledEntry =
  /** A record as a line of a feed, without a line feed. */
  | { readonly kind: 'record'; readonly line: Uint8Array }
  | { readonly kind: 'reject'; readonly source: SourceCounts; readonly reject: Reject }
  | { readonly kind: 'warning'; readonly source: SourceCounts; readonly place: Place; readonly text: string };

export interface AssemblyTotals {
  readonly advisories: number;
  readonly withdrawn: number;
  /**
   * Malware reports whose advisory is withdrawn: those withdrawn with it, and those limited to the versions
   * that they list.
   */
  readonly malwareWithdrawn: number;
  readonly malwareLimited: number;
  readonly byType: ReadonlyMap<ProductType, number>;
  /**
   * By the names of two sources, `a + b`: how often a record of b was added to an advisory that a record of a
   * began.
   */
  readonly mergedPairs: ReadonlyMap<string, number>;
}

export class Assembly {
  readonly #sources: readonly SourceCounts[];
  readonly #names: readonly string[];
  readonly #preference: Preference;
  readonly #store: DraftStore;
  readonly #productNumbers: OwnProductNumbers;
  readonly #psids = new TextTable();
  readonly #byType = new Map<ProductType, number>();
  readonly #mergedPairs = new Map<string, number>();
  #advisories = 0;
  #withdrawn = 0;
  #malwareWithdrawn = 0;
  #malwareLimited = 0;

  /** Sources are numbered by their place in the list. The scratch file goes to `folder`. */
  constructor(folder: string, sources: readonly SourceCounts[], preference: Preference) {
    this.#sources = sources;
    this.#names = sources.map(({ name }) => name);
    this.#preference = preference;
    this.#store = new DraftStore(folder);
    this.#productNumbers = new OwnProductNumbers(preference.order);
  }

  get totals(): AssemblyTotals {
    return {
      advisories: this.#advisories,
      withdrawn: this.#withdrawn,
      malwareWithdrawn: this.#malwareWithdrawn,
      malwareLimited: this.#malwareLimited,
      byType: this.#byType,
      mergedPairs: this.#mergedPairs,
    };
  }

  get draftCount(): number {
    return this.#store.length;
  }

  /** Takes a draft in, or returns it as a reject, already counted. */
  add(source: number, { row, keys, problems }: PackedDraft): Reject | undefined {
    if (keys === undefined) return this.#reject(source, row, problems);
    this.#store.add(source, { row, keys, problems });
    this.#productNumbers.add(source, keys);
    return undefined;
  }

  /**
   * The advisories, and the drafts that did not become part of one. Requires: called once, after the last
   * `add`.
   */
  *records(registry: IdRegistry): Generator<AssembledEntry> {
    const repeats = findRepeats(this.#store);
    for (const [draft, repeat] of repeats) yield* this.#leaveOut(draft, repeat);
    const groups = groupDrafts(this.#store, this.#preference.order, repeats);
    const numbered = numberGroups(
      groups,
      {
        registryKeyAt: (draft) => this.#registryKeyAt(draft),
        ownNumberAt: (draft) => this.#store.ownNumberAt(draft),
        isSame: (draft, key) => this.#store.isAbout(draft, key),
        rankAt: (draft) => this.#preference.order.indexOf(this.#store.sourceAt(draft)),
      },
      registry,
    );
    const { numbers, refused } = numbered;
    for (let group = 0; group < numbers.length; group++) {
      const drafts: number[] = [];
      for (const draft of groups.members.subarray(groups.starts[group], groups.starts[group + 1])) {
        const problem = refused.get(draft);
        if (problem === undefined) drafts.push(draft);
        else yield this.#rejectDraft(draft, [problem]);
      }
      const [first, ...others] = drafts;
      if (first !== undefined)
        yield* this.#advisory([first, ...others], group, numbered, registry, groups.settled);
    }
  }

  close(): void {
    this.#store.close();
  }

  /** One advisory from the drafts of a group. */
  *#advisory(
    drafts: readonly [number, ...number[]],
    group: number,
    { numbers, moved, isOwner }: Numbers,
    registry: IdRegistry,
    settled: Settlement,
  ): Generator<AssembledEntry> {
    const id = numbers[group];
    const [first, ...others] = drafts;
    const row = this.#store.rowAt(first);
    const isWhole = others.length === 0 && !settled.has(first) && this.#keepsProductNumber(first, registry);
    if (isWhole && canNumber(row, id, this.#store.ownNumberAt(first))) {
      if (this.#isTaken(defaultPsid(id))) yield* this.#refusePsid(drafts, defaultPsid(id));
      else {
        yield* this.#movedWarnings(drafts, id, moved);
        yield this.#numbered(first, this.#store.rowAt(first), id, registry);
      }
      return;
    }
    // As many as drafts.
    const members = drafts.map((draft) => this.#member(draft, settled.get(draft))) as [Member, ...Member[]];
    const { record: merged, warnings, outlived } = mergeRecords(members, this.#preference, this.#names);
    const psid = merged.psid ?? defaultPsid(id);
    if (this.#isTaken(psid)) {
      yield* this.#refusePsid(drafts, psid);
      return;
    }
    // Only those that had the number can move it to another product.
    for (const draft of drafts.toSorted((a, b) => Number(moved.has(b)) - Number(moved.has(a)))) {
      const key = this.#registryKeyAt(draft);
      const known = registry.numberOf(key);
      if (known === undefined || !isOwner(group, known)) registry.register(key, id);
    }
    const record = this.#withNumbers(merged, id, registry);
    this.#count(drafts, record.product.type, record.withdrawn_at !== undefined);
    if (outlived === 'withdrawn') this.#malwareWithdrawn++;
    if (outlived === 'limited') this.#malwareLimited++;
    yield* this.#movedWarnings(drafts, id, moved);
    const source = this.#sources[this.#store.sourceAt(first)];
    for (const text of warnings)
      yield { kind: 'warning', source, place: this.#store.read(first).place, text };
    yield { kind: 'record', line: Buffer.from(JSON.stringify(record)) };
  }

  /** An advisory of one draft: nothing is merged, so it need not be parsed. */
  #numbered(draft: number, row: Buffer, id: number, registry: IdRegistry): AssembledEntry {
    registry.register(this.#registryKeyAt(draft), id);
    const { type, slug } = this.#store.productKeyAt(draft);
    const line = numberedLine(row, {
      id,
      productNumber: () => this.#productNumberOf(type, slug, registry),
      createdAt: () => formatSeconds(registry.firstSeenOf(id)),
    });
    this.#count([draft], type, isWithdrawnRow(row));
    return { kind: 'record', line };
  }

  *#movedWarnings(drafts: readonly number[], id: number, moved: Numbers['moved']): Generator<AssembledEntry> {
    for (const draft of drafts) {
      const before = moved.get(draft);
      if (before === undefined) continue;
      const { type, slug } = this.#store.productKeyAt(draft);
      yield {
        kind: 'warning',
        source: this.#sources[this.#store.sourceAt(draft)],
        place: placeOf(this.#store.rowAt(draft)),
        text: `product: the record was about ${before.type}/${before.slug} and is about ${type}/${slug} now; it keeps the id ${id}`,
      };
    }
  }

  /** Whether another advisory has the PSID; if not, this one has it now. */
  #isTaken(psid: string): boolean {
    const count = this.#psids.length;
    return this.#psids.intern(psid) < count;
  }

  *#refusePsid(drafts: readonly number[], psid: string): Generator<AssembledEntry> {
    const message = `${psid} is also the PSID of another advisory`;
    for (const draft of drafts) yield this.#rejectDraft(draft, [{ field: 'psid', message }]);
  }

  #member(draft: number, ids: SettledIds | undefined): Member {
    const { record, report } = this.#store.read(draft);
    const source = this.#store.sourceAt(draft);
    if (ids === undefined) return { source, record, report };
    return { source, record: withSettledIds(record, ids, this.#store), report };
  }

  #withNumbers(record: DraftRecord, id: number, registry: IdRegistry): FeedRecord {
    const { type, slug } = record.product;
    return {
      ...withDefaults(record),
      id,
      created_at: record.created_at ?? formatSeconds(registry.firstSeenOf(id)),
      product: { ...record.product, id: this.#productNumberOf(type, storedSlug(type, slug), registry) },
    };
  }

  #productNumberOf(type: ProductType, slug: string, registry: IdRegistry): number {
    const own = this.#productNumbers.find(type, slug);
    return registry.productNumber(type, slug, { own, isTaken: (number) => this.#productNumbers.has(number) });
  }

  /** Whether the number of the product that the draft brings, if any, is the one that the product has. */
  #keepsProductNumber(draft: number, registry: IdRegistry): boolean {
    const own = this.#store.productNumberAt(draft);
    if (own === undefined) return true;
    const { type, slug } = this.#store.productKeyAt(draft);
    const number = this.#productNumberOf(type, slug, registry);
    return own === number;
  }

  #count(drafts: readonly [number, ...number[]], type: ProductType, isWithdrawn: boolean): void {
    const [first, ...others] = drafts.map((draft) => this.#sources[this.#store.sourceAt(draft)]);
    first.accepted++;
    for (const source of others) {
      source.merged++;
      const pair = `${first.name} + ${source.name}`;
      this.#mergedPairs.set(pair, (this.#mergedPairs.get(pair) ?? 0) + 1);
    }
    this.#byType.set(type, (this.#byType.get(type) ?? 0) + 1);
    this.#advisories++;
    if (isWithdrawn) this.#withdrawn++;
  }

  /** A draft that repeats another one: skipped if it says the same, otherwise a reject. */
  *#leaveOut(draft: number, { kept, isEqual }: Repeat): Generator<AssembledEntry> {
    if (isEqual) {
      this.#sources[this.#store.sourceAt(draft)].skip('repeated record');
      return;
    }
    const place = formatPlace(this.#store.read(kept).place);
    const message = `${this.#store.sourceIdText(draft)} is also at ${place}, with other content; the record changed last is kept`;
    yield this.#rejectDraft(draft, [{ field: 'source_id', message }]);
  }

  #rejectDraft(draft: number, problems: readonly FieldProblem[]): AssembledEntry {
    const source = this.#store.sourceAt(draft);
    const reject = this.#reject(source, this.#store.rowAt(draft), problems);
    return { kind: 'reject', source: this.#sources[source], reject };
  }

  /** The raw entry is no longer there, so the reject holds the record that was made of it. */
  #reject(source: number, row: Uint8Array, problems: readonly FieldProblem[]): Reject {
    const reject = { place: placeOf(row), bytes: new Uint8Array(recordJson(row)), problems };
    this.#sources[source].reject(reject);
    return reject;
  }

  #registryKeyAt(draft: number): RecordKey {
    const source = this.#sources[this.#store.sourceAt(draft)].kind;
    return { source, sourceId: this.#store.sourceIdText(draft), ...this.#store.productKeyAt(draft) };
  }
}
