// POST batch: up to 50 products in one request. The answer is an object with one member for each distinct
// slug, in the order of the request: a list of items, or with `exists` a boolean. Clients read it by slug and
// know no error of one item, and after any other answer than a non-empty object they ask for each product
// alone. So what cannot be said of one slug is said in a header, and a version that cannot be read counts as
// any version: nothing is missed.

import type { HandlerContext } from '../../http/context.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import { NONE } from '../../index/columns.ts';
import { ANY_VERSION, isVersionOrAny } from '../../index/lookup/lookup.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';
import {
  isProductType,
  PRODUCT_TYPES,
  type ProductType,
  productTypeFacts,
} from '../../index/product-type.ts';
import {
  type BatchForm,
  type BatchItem as ItemOf,
  MAX_OUTPUT_BYTES,
  readBatch,
  refuseItems,
} from '../batch-request.ts';
import { etags } from '../etags.ts';
import { ignoredParts, UNREAD_VERSIONS, withoutData } from '../lookup-headers.ts';
import { versionComplaint } from '../path-part.ts';
import { slugHeader } from '../slug-header.ts';
import { ItemWriter } from './item.ts';

const AMBIGUOUS_SLUGS = 'Vulndex-Ambiguous-Slugs';

/** Without a type, whichever WordPress products have the name. */
type BatchItem = ItemOf<ProductType | undefined>;
const FORM: BatchForm<ProductType | undefined> = {
  itemComplaint: 'must be an object with name, version and type',
  isType: (type): type is ProductType | undefined => type === undefined || isProductType(type),
};

/** Where an item without a type is looked for. */
const WORDPRESS_TYPES = PRODUCT_TYPES.filter((type) => productTypeFacts(type).platform === 'wordpress');

/** What a batch asks about. */
export function* handleBatch(
  _query: string,
  _: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = yield* readBatch(body, FORM);
  if (read.kind === 'problem') return read;
  const refusal = admit(read.items.length);
  if (refusal !== undefined) return refusal;
  const { out } = context.memory;
  out.restart();
  out.limitTo(MAX_OUTPUT_BYTES);
  try {
    return yield* answerBatch(read.items, context);
  } catch (error) {
    if (!(error instanceof WriterFullError)) throw error;
    return refuseItems(`the answer has more than ${MAX_OUTPUT_BYTES} bytes: ask for fewer products at once`);
  }
}

function* answerBatch(items: readonly BatchItem[], context: HandlerContext): Steps<Answer> {
  const { out } = context.memory;
  const bySlug = groupBySlug(items);
  const ambiguous: string[] = [];
  const unread: string[] = [];
  const writer = new BatchWriter(context);
  let before = '{"vulnerabilities":{';
  for (const [slug, asked] of bySlug) {
    out.text(before);
    before = ',';
    out.jsonText(slug);
    out.text(':');
    writer.clear();
    for (const item of asked) if (!writer.take(item)) unread.push(slug);
    if (asked.some((item) => isDifferent(item, asked[0]))) ambiguous.push(slug);
    if (asked.every(({ exists }) => exists === true)) writer.writeBoolean();
    else yield* writer.writeList();
    yield;
    // A buffer that an earlier answer has grown takes more.
    if (out.length > MAX_OUTPUT_BYTES) throw new WriterFullError(MAX_OUTPUT_BYTES);
  }
  out.text(bySlug.size === 0 ? '{"vulnerabilities":{}}' : '}}');
  const headers = [
    ...slugHeader(AMBIGUOUS_SLUGS, ambiguous),
    ...slugHeader(UNREAD_VERSIONS, unread),
    ...withoutData(
      context.generation,
      items.flatMap(({ type }) => type ?? WORDPRESS_TYPES),
    ),
    ...ignoredParts(items.map(({ type = 'plugin', version }) => ({ type, version }))),
  ];
  return json(out.view(), etags.patchstackFlat(context.generation), headers);
}

/**
 * In the order in which the slugs first come. A map, because an object would put integer-like names first.
 */
function groupBySlug(items: readonly BatchItem[]): Map<string, BatchItem[]> {
  const bySlug = new Map<string, BatchItem[]>();
  for (const item of items) {
    const same = bySlug.get(item.name);
    if (same === undefined) bySlug.set(item.name, [item]);
    else same.push(item);
  }
  return bySlug;
}

function isDifferent(a: BatchItem, b: BatchItem): boolean {
  return a.type !== b.type || a.version !== b.version;
}

/** What applies to the products of one slug: the union over its items. */
class BatchWriter {
  readonly #context: HandlerContext;
  readonly #items: ItemWriter;
  /** By ordinal, the span that contains the version asked for, or NONE for any version. */
  readonly #found = new Map<number, number>();

  constructor(context: HandlerContext) {
    this.#context = context;
    this.#items = ItemWriter.forAnswer(context);
  }

  clear(): void {
    this.#found.clear();
  }

  /** Adds what applies to an item. False if its version cannot be read under one of its types. */
  take({ type, name, version }: BatchItem): boolean {
    const types = type === undefined ? WORDPRESS_TYPES : [type];
    let isRead = true;
    for (const each of types) {
      if (versionComplaint(version) === undefined) {
        if (version === ANY_VERSION) {
          this.#takeAny(each, name);
          continue;
        }
        if (this.#takeAt(each, name, version)) continue;
      }
      isRead &&= isVersionOrAny({ type: each, version });
      this.#takeAny(each, name);
    }
    return isRead;
  }

  /** False if the product's own advisories cannot be compared with the version. */
  #takeAt(type: ProductType, name: string, version: string): boolean {
    const { generation, memory } = this.#context;
    const { locator, matches } = memory;
    const place = generation.locate(type, name, version, locator);
    if (place.kind === 'not-a-version') return false;
    generation.collect(place, matches);
    for (let i = 0; i < matches.count; i++) this.#add(matches.advisoryAt(i), matches.spanAt(i));
    return true;
  }

  #takeAny(type: ProductType, name: string): void {
    const { generation } = this.#context;
    const product = generation.findProduct(type, name);
    if (product === undefined) return;
    for (const ordinal of generation.advisoriesOf(product)) this.#add(ordinal, NONE);
  }

  /** Of two items with the same advisory, the first that was asked at a version says which span. */
  #add(ordinal: number, span: number): void {
    const known = this.#found.get(ordinal);
    if (known === undefined || known === NONE) this.#found.set(ordinal, span);
  }

  writeBoolean(): void {
    this.#context.memory.out.text(this.#found.size > 0 ? 'true' : 'false');
  }

  /** By descending id. */
  *writeList(): Steps<void> {
    const { generation, memory } = this.#context;
    const { out } = memory;
    const ordinals = [...this.#found.keys()].sort((a, b) => generation.idAt(b) - generation.idAt(a));
    out.text('[');
    for (const [i, ordinal] of ordinals.entries()) {
      if (i > 0) out.text(',');
      this.#items.write(ordinal, this.#found.get(ordinal) ?? NONE);
      yield;
    }
    out.text(']');
  }
}
