// POST /batch: up to 50 lookups in one request, answered in order, each answer with its item as sent. batch-budget.ts
// limits how much they write.

import type { HandlerContext } from '../../http/context.ts';
import { type Admit, MAX_BODY_ITEMS, type PathParts } from '../../http/dialect.ts';
import { readJson } from '../../http/json-body.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Steps } from '../../http/work/steps.ts';
import { ANY_VERSION, type Lookup } from '../../index/lookup/lookup.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { PRODUCT_TYPES, type ProductType } from '../../index/product-type.ts';
import { bodyComplaint } from '../body-complaint.ts';
import { isProductType, nameComplaint, TYPE_COMPLAINT, versionComplaint } from '../path-part.ts';
import { NOT_A_VERSION } from '../product-path.ts';
import { BatchBudget, MAX_OUTPUT_BYTES } from './batch-budget.ts';
import { etagOf } from './etag.ts';
import { type LookupOptions, readLookupOptions } from './include.ts';
import { type ItemErrorCode, invalid, problem } from './problems.ts';
import { writeProduct, writeUpdate } from './product.ts';

export const MAX_ITEMS = MAX_BODY_ITEMS;
export const MAX_BODY_BYTES = 64 * 1024;
/** Each takes a few microseconds, and a step half of one. */
const EXISTS_PER_STEP = 16;

/** As sent; it may have other members too. */
interface BatchItem extends Lookup {
  readonly exists?: boolean;
}

/** The start of a result, up to the product's name. */
const RESULT_STARTS = Object.fromEntries(
  PRODUCT_TYPES.map((type) => [type, Buffer.from(`{"type":"${type}","name":`)]),
) as unknown as Readonly<Record<ProductType, Uint8Array>>; // an entry for each type
const VERSION = Buffer.from(',"version":');
const VULNERABLE = Buffer.from(',"vulnerable":true');
const NOT_VULNERABLE = Buffer.from(',"vulnerable":false');
const COMMA = Buffer.from(',');
const END = Buffer.from('}');
const TOO_LARGE =
  `the answer does not fit into what is left of the batch's ${MAX_OUTPUT_BYTES} bytes: send the item in another batch, ` +
  'or ask for it alone at /product/{type}/{name}/{version}';

export function* handleBatch(
  query: string,
  _: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = yield* readJson(body);
  if (read.kind !== 'json') return problem('invalid_body', bodyComplaint(read));
  const errors: ParameterError[] = [];
  const items = readItems(read.value, errors);
  if (errors.length > 0) return invalid('invalid_batch', errors);
  const options = readLookupOptions(query, errors);
  if (errors.length > 0) return invalid('invalid_parameter', errors);
  const refusal = admit(items.length);
  if (refusal !== undefined) return refusal;
  const { generation, memory } = context;
  const { out } = memory;
  out.restart();
  const budget = new BatchBudget(out, options.withDetails);
  out.text('[');
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (i > 0) out.text(',');
    if (item.exists === true) writeResult(item, context, options);
    else if (!budget.spend(item, () => writeResult(item, context, options))) {
      writeEcho(out, item);
      writeItemError(out, 'batch_too_large', TOO_LARGE);
    }
    if (item.exists !== true || i % EXISTS_PER_STEP === 0) yield;
  }
  out.text(']');
  return json(out.view(), etagOf(generation));
}

function writeResult(item: BatchItem, context: HandlerContext, options: LookupOptions): void {
  const { generation, memory } = context;
  const { out } = memory;
  const { type, name, version, exists } = item;
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
    const place = generation.locate(type, name, version, memory.locator);
    if (place.kind === 'not-a-version') {
      writeItemError(out, 'invalid_version', `version ${NOT_A_VERSION}`);
      return;
    }
    out.piece(generation.any(place) ? VULNERABLE : NOT_VULNERABLE);
    if (options.withUpdate) writeUpdate(out, generation, place);
    out.piece(END);
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

function writeEcho(out: AnswerBuffer, { type, name, version }: BatchItem): void {
  out.piece(RESULT_STARTS[type]);
  out.jsonText(name);
  out.piece(VERSION);
  out.jsonText(version);
}

function writeItemError(out: AnswerBuffer, code: ItemErrorCode, message: string): void {
  out.text(`,"error":${JSON.stringify({ code, message })}}`);
}

/** The items; each bad one adds entries to `errors` that name its place. */
function readItems(body: unknown, errors: ParameterError[]): readonly BatchItem[] {
  if (!Array.isArray(body)) {
    errors.push({ parameter: 'items', message: 'the body must be an array, not wrapped in anything' });
    return [];
  }
  if (body.length > MAX_ITEMS) {
    errors.push({ parameter: 'items', message: `must be at most ${MAX_ITEMS}, got ${body.length}` });
    return [];
  }
  body.forEach((item, i) => {
    if (!isItem(item)) errors.push(...complaintsAbout(item, `items[${i}]`));
  });
  return body;
}

/** Whether the item is valid. */
function isItem(item: unknown): item is BatchItem {
  if (typeof item !== 'object' || item === null) return false;
  const { type, name, version, exists } = item as Members;
  return (
    isProductType(type) &&
    typeof name === 'string' &&
    nameComplaint(name) === undefined &&
    // An empty or over-long version is an error of its item only: the other 49 products are answered.
    typeof version === 'string' &&
    (exists === undefined || typeof exists === 'boolean')
  );
}

type Members = Readonly<Record<string, unknown>>; // any JSON object is one

/** What is wrong with an invalid item. */
function complaintsAbout(item: unknown, place: string): ParameterError[] {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return [{ parameter: place, message: 'must be an object with type, name and version' }];
  }
  const { type, name, version, exists } = item as Members;
  const messages = {
    type: isProductType(type) ? undefined : TYPE_COMPLAINT,
    name: typeof name === 'string' ? nameComplaint(name) : 'must be a string',
    version: typeof version === 'string' ? undefined : 'must be a string',
    exists: exists === undefined || typeof exists === 'boolean' ? undefined : 'must be true or false',
  };
  return Object.entries(messages).flatMap(([member, message]) =>
    message === undefined ? [] : [{ parameter: `${place}.${member}`, message }],
  );
}
