// An advisory as an item of the flat shape: one object without inner ones, but for the ranges. Fields come
// from its prepared list item, columns, and its detail record.

import type { HandlerContext } from '../../http/context.ts';
import { isExploited, NONE, patchPriority } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { fixRange } from '../../index/items/affected-range.ts';
import type { OpenRecords } from '../../index/items/detail-record.ts';
import { formatInstant, formatLegacyInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import type { LabelTerm } from '../../index/items/list-item.ts';
import type { AnswerCache } from '../../index/memory/answer-cache.ts';
import type { ByteWriter } from '../../index/memory/byte-writer.ts';
import { PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';
import { writeMatchedRange, writeVersion } from '../matched-range.ts';
import { memberWriters } from '../member-writers.ts';

const utf8 = new TextEncoder();
const COMMA = utf8.encode(',');
const FIXED_IN = utf8.encode(',"fixed_in":');
const NO_FIX = utf8.encode('""');
const END = utf8.encode('}');

/** Writes items of one generation to one writer. */
export class ItemWriter {
  /** Writes into a thread's answer. */
  static forAnswer({ generation, memory }: Pick<HandlerContext, 'generation' | 'memory'>): ItemWriter {
    return new ItemWriter(memory.out, generation, memory.records, memory.cacheOf('patchstack-flat'));
  }

  readonly #out: ByteWriter;
  readonly #generation: Generation;
  readonly #records: OpenRecords;
  readonly #view: ItemView;
  readonly #heads: AnswerCache | undefined;

  /** `heads` keeps, by ordinal, the parts of items that need a detail record, which takes long to read. */
  constructor(out: ByteWriter, generation: Generation, records: OpenRecords, heads?: AnswerCache) {
    this.#out = out;
    this.#generation = generation;
    this.#records = records;
    this.#view = new ItemView(generation);
    this.#heads = heads;
  }

  /**
   * Appends an item. `span` is the one that contains the version asked for: then `fixed_in` is what fixes
   * that span, because clients compare it with the version that is installed. Without a span (NONE) it is the
   * highest fix, as on the contract's
   * /all.
   */
  write(ordinal: number, span: number): void {
    const out = this.#out;
    const { columns } = this.#generation.parts;
    this.#writeHead(ordinal);
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
  #writeHead(ordinal: number): void {
    if (this.#heads?.copyTo(this.#out, ordinal) === true) return;
    const start = this.#out.length;
    this.#makeHead(ordinal);
    this.#heads?.keep(ordinal, this.#out.view().subarray(start));
  }

  #makeHead(ordinal: number): void {
    const out = this.#out;
    const { columns } = this.#generation.parts;
    const { records } = this.#generation;
    const view = this.#view.enter(ordinal);
    const [description, cves, , urlSlug] = records.detailAt(ordinal, this.#records);
    // The loader checked the shape of the term.
    const [, , premiumName] = records.termAt(columns.advisoryLabel[ordinal]) as LabelTerm;
    const { listed, other } = memberWriters(out, view);
    listed('{"id":', 'id');
    listed(',"product_id":', 'productId');
    listed(',"title":', 'title');
    other(',"description":', description);
    other(',"disclosure_date":', formatLegacyInstant(columns.advisoryDisclosedAt[ordinal]));
    other(',"disclosed_at":', formatInstant(columns.advisoryDisclosedAt[ordinal]));
    other(',"created_at":', formatInstant(columns.advisoryCreatedAt[ordinal]));
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
