// An advisory as an item of the flat shape: one object without inner ones, but for the ranges. Fields come
// from its prepared list item, columns, and its detail record.

import type { HandlerContext } from '../../http/context.ts';
import { isExploited, NONE, patchPriority } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { fixRange } from '../../index/items/affected-range.ts';
import type { OpenRecords } from '../../index/items/detail-record.ts';
import { formatInstant, formatLegacyInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import type { AnswerCache } from '../../index/memory/answer-cache.ts';
import type { ByteWriter } from '../../index/memory/byte-writer.ts';
import { PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';
import { numberOfSpan } from '../../index/span-list.ts';
import { writeMatchedRange, writeVersion } from '../matched-range.ts';
import { memberWriters } from '../member-writers.ts';

const utf8 = new TextEncoder();
const COMMA = utf8.encode(',');
const FIXED_IN = utf8.encode(',"fixed_in":');
const NO_FIX = utf8.encode('""');
const END = utf8.encode('}');

/**
 * Items as they were written: reading a detail record inflates a block, and copying from shared memory is
 * slow.
 */
interface ItemCaches {
  /** Without a span, by ordinal. */
  readonly whole: AnswerCache;
  /** By `numberOfSpan`. */
  readonly ofSpans: AnswerCache;
}

/** Writes items of one generation to one writer. */
export class ItemWriter {
  /** Writes into a thread's answer. */
  static forAnswer({ generation, memory }: Pick<HandlerContext, 'generation' | 'memory'>): ItemWriter {
    const caches = {
      whole: memory.cacheOf('patchstack-flat'),
      ofSpans: memory.cacheOf('patchstack-flat-span'),
    };
    return new ItemWriter(memory.out, generation, memory.records, caches);
  }

  readonly #out: ByteWriter;
  readonly #generation: Generation;
  readonly #records: OpenRecords;
  readonly #view: ItemView;
  readonly #caches: ItemCaches | undefined;

  /** Without caches, every item is made: for a writer of all of them. */
  constructor(out: ByteWriter, generation: Generation, records: OpenRecords, caches?: ItemCaches) {
    this.#out = out;
    this.#generation = generation;
    this.#records = records;
    this.#view = new ItemView(generation);
    this.#caches = caches;
  }

  /**
   * Appends an item. `span` is the one that contains the version asked for: then `fixed_in` is what fixes
   * that span, because clients compare it with the version that is installed. Without a span (NONE) it is the
   * highest fix, as on the contract's
   * /all.
   */
  write(ordinal: number, span: number): void {
    const kept = span === NONE ? this.#caches?.whole : this.#caches?.ofSpans;
    const number = span === NONE ? ordinal : numberOfSpan(this.#generation.parts.columns, ordinal, span);
    if (kept?.copyTo(this.#out, number) === true) return;
    const start = this.#out.length;
    this.#make(ordinal, span);
    kept?.keep(number, this.#out.view().subarray(start));
  }

  #make(ordinal: number, span: number): void {
    const out = this.#out;
    const { columns } = this.#generation.parts;
    this.#makeHead(ordinal);
    out.piece(FIXED_IN);
    const fix = span === NONE ? fixRange(columns, ordinal).highest : columns.spanFixedIn[span];
    if (fix === NONE) out.piece(NO_FIX);
    else writeVersion(out, this.#generation, fix);
    const view = this.#view.enter(ordinal);
    out.text(',"patched_in_ranges":[');
    view.write(out, 'patchedRanges');
    out.text('],"direct_url":');
    view.write(out, 'url');
    if (span !== NONE) writeMatchedRange(out, this.#generation, span);
    out.piece(END);
  }

  /** Appends several items without a matched range, with commas between them. */
  writeAll(ordinals: Iterable<number>): void {
    let isFirst = true;
    for (const ordinal of ordinals) {
      if (!isFirst) this.#out.piece(COMMA);
      isFirst = false;
      this.write(ordinal, NONE);
    }
  }

  /** Appends an item up to the value of `affected_in`. */
  #makeHead(ordinal: number): void {
    const out = this.#out;
    const { columns } = this.#generation.parts;
    const { records } = this.#generation;
    const view = this.#view.enter(ordinal);
    const [description, cves, , urlSlug] = records.detailAt(ordinal, this.#records);
    const [, , premiumName] = this.#generation.labelAt(ordinal);
    const { listed, other } = memberWriters(out, view);
    listed('{"id":', 'id');
    listed(',"product_id":', 'productId');
    listed(',"title":', 'title');
    other(',"description":', description);
    other(',"disclosure_date":', formatLegacyInstant(this.#generation.disclosedAt(ordinal)));
    other(',"disclosed_at":', formatInstant(this.#generation.disclosedAt(ordinal)));
    other(',"created_at":', formatInstant(this.#generation.createdAt(ordinal)));
    other(',"url":', urlSlug);
    listed(',"product_slug":', 'productSlug');
    listed(',"product_name":', 'productName');
    other(',"product_name_premium":', premiumName);
    other(
      ',"product_type":',
      PRODUCT_TYPE_TABLE[columns.productType[columns.advisoryProduct[ordinal]]].label,
    );
    listed(',"vuln_type":', 'vulnType');
    listed(',"cvss_score":', 'cvssScore');
    other(',"cve":', cves);
    other(',"is_exploited":', isExploited(columns.advisoryFlags[ordinal]));
    other(',"patch_priority":', patchPriority(columns.advisoryFlags[ordinal]));
    listed(',"affected_in":', 'affected');
  }
}
