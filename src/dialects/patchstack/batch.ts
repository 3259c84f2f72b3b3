// POST /batch: up to 50 lookups in one request, answered in order, each answer with its item as sent.
// batch-budget.ts limits how much they write.

import type { HandlerContext } from '../../http/context.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import type { Generation } from '../../index/generation.ts';
import { ANY_VERSION } from '../../index/lookup/lookup.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { isProductType, PRODUCT_TYPES, type ProductType } from '../../index/product-type.ts';
import { type BatchForm, type BatchItem, MAX_OUTPUT_BYTES, PlainItem, readBatch } from '../batch-request.ts';
import { etags } from '../etags.ts';
import { ignoredParts, withoutData } from '../lookup-headers.ts';
import { versionComplaint } from '../path-part.ts';
import { NOT_A_VERSION } from '../product-path.ts';
import { refuseParameters } from '../request-problems.ts';
import { BatchBudget } from './batch-budget.ts';
import { type LookupOptions, readLookupOptions } from './include.ts';
import type { ItemErrorCode } from './problems.ts';
import { writeProduct, writeUpdate } from './product.ts';

/** Answered without a pause if their answers are short: most take a microsecond, and a pause half of one. */
const ITEMS_AT_ONCE = 16;
const SHORT_BYTES = 16 * 1024;

/** An empty or over-long version is an error of its item only: the other products are answered. */
const TYPED: BatchForm<ProductType> = {
  itemComplaint: 'must be an object with type, name and version',
  isType: isProductType,
};

/** The start of a result, up to the product's name. */
const RESULT_STARTS = Object.fromEntries(
  PRODUCT_TYPES.map((type) => [type, Buffer.from(`{"type":"${type}","name":`)]),
) as unknown as Readonly<Record<ProductType, Uint8Array>>; // an entry for each type
const VERSION = Buffer.from(',"version":');
const VULNERABLE = Buffer.from(',"vulnerable":true}');
const NOT_VULNERABLE = Buffer.from(',"vulnerable":false}');
const COMMA = Buffer.from(',');
const END = Buffer.from('}');
const TOO_LARGE =
  `the answer does not fit into what is left of the batch's ${MAX_OUTPUT_BYTES} bytes: send the item in another batch, ` +
  'or ask for it alone at /product/{type}/{name}/{version}';

/** What a batch asks about. */
export function* handleBatch(
  query: string,
  _: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = yield* readBatch(body, TYPED);
  if (read.kind === 'problem') return read;
  const { items } = read;
  const errors: ParameterError[] = [];
  const options = readLookupOptions(query, errors);
  if (errors.length > 0) return refuseParameters(errors);
  const refusal = admit(items.length);
  if (refusal !== undefined) return refusal;
  const { generation, memory } = context;
  const { out } = memory;
  out.restart();
  const budget = new BatchBudget(out, options.withDetails);
  const hashAt = (at: number): number => hashOf(generation, items[at]);
  out.text('[');
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    generation.readAhead(i, items.length, hashAt);
    if (i > 0) out.piece(COMMA);
    let isShort = true;
    if (item.exists === true) writeResult(item, context, options);
    else isShort = writeFull(item, budget, context, options);
    if (!isShort || i % ITEMS_AT_ONCE === 0) yield;
  }
  out.text(']');
  const types = items.map(({ type }) => type);
  return json(out.view(), etags.patchstack(generation), [
    ...withoutData(generation, types),
    ...ignoredParts(items),
  ]);
}

/** An item that is not `exists`. Returns whether it was short. */
function writeFull(
  item: BatchItem<ProductType>,
  budget: BatchBudget,
  context: HandlerContext,
  options: LookupOptions,
): boolean {
  const { out } = context.memory;
  const begun = out.length;
  if (budget.spend(item, () => writeResult(item, context, options))) {
    return !options.withDetails && out.length - begun < SHORT_BYTES;
  }
  writeEcho(out, item);
  writeItemError(out, 'batch_too_large', TOO_LARGE);
  return false;
}

function writeResult(item: BatchItem<ProductType>, context: HandlerContext, options: LookupOptions): void {
  const { generation, memory } = context;
  const { out } = memory;
  const { type, version, exists } = item;
  writeEcho(out, item);
  const complaint = versionComplaint(version);
  if (complaint !== undefined) {
    writeItemError(out, 'invalid_version', `version ${complaint}`);
    return;
  }
  if (exists === true) {
    if (version === ANY_VERSION) {
      writeItemError(out, 'invalid_version', 'version must be a concrete version');
      return;
    }
    const place = generation.locateIn(type, productOf(generation, item), version, memory.locator);
    if (place.kind === 'not-a-version') {
      writeItemError(out, 'invalid_version', `version ${NOT_A_VERSION}`);
      return;
    }
    out.piece(generation.any(place) ? VULNERABLE : NOT_VULNERABLE);
    if (options.withUpdate) {
      out.truncate(out.length - END.length);
      writeUpdate(out, generation, place);
      out.piece(END);
    }
    return;
  }
  const begun = out.length;
  out.piece(COMMA);
  if (writeProduct(context, item, options)) {
    out.piece(END);
  } else {
    out.truncate(begun);
    writeItemError(out, 'invalid_version', `version ${NOT_A_VERSION}`);
  }
}

function hashOf(generation: Generation, item: BatchItem<ProductType>): number {
  if (!(item instanceof PlainItem)) return generation.hashOfName(item.type, item.name);
  return generation.hashOfAscii(item.type, item.body, item.nameStart, item.nameEnd);
}

function productOf(generation: Generation, item: BatchItem<ProductType>): number | undefined {
  if (!(item instanceof PlainItem)) return generation.findProduct(item.type, item.name);
  return generation.findProductAscii(item.type, item.body, item.nameStart, item.nameEnd);
}

function writeEcho(out: AnswerBuffer, item: BatchItem<ProductType>): void {
  if (item instanceof PlainItem && item.echoStart !== undefined) {
    // In two parts, each with the quote at its end: most are short enough to be copied without a view.
    out.copy(item.body, item.echoStart, item.nameEnd + 1);
    out.copy(item.body, item.nameEnd + 1, item.versionEnd + 1);
    return;
  }
  out.piece(RESULT_STARTS[item.type]);
  out.jsonText(item.name);
  out.piece(VERSION);
  out.jsonText(item.version);
}

function writeItemError(out: AnswerBuffer, code: ItemErrorCode, message: string): void {
  out.text(`,"error":${JSON.stringify({ code, message })}}`);
}
