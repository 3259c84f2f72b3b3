// The body of a batch: a JSON array of products, with the limits of all dialects that take one. It is read as
// a whole or refused as a whole. A body in the form that clients write is read without JSON.parse.

import { MAX_BODY_ITEMS } from '../http/dialect.ts';
import { readJson } from '../http/json-body.ts';
import { PlainJson, wordsOf } from '../http/plain-json.ts';
import type { ParameterError } from '../http/replies/problems.ts';
import { refuse } from '../http/replies/responses.ts';
import type { Steps } from '../http/work/steps.ts';
import { PRODUCT_TYPES, type ProductType } from '../index/product-type.ts';
import { MAX_NAME_BYTES, nameComplaint, TYPE_COMPLAINT } from './path-part.ts';
import { type Refusal, refuseParameters, requestProblem } from './request-problems.ts';

export const MAX_BODY_BYTES = 64 * 1024;
export const TOO_LARGE_BODY = `A batch has at most ${MAX_BODY_BYTES} bytes.`;
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** As sent; it may have other members too. */
export interface BatchItem<Type extends ProductType | undefined> {
  readonly type: Type;
  readonly name: string;
  readonly version: string;
  readonly exists?: boolean | undefined;
}

/** What differs between dialects. */
export interface BatchForm<Type extends ProductType | undefined> {
  /** What an item must be. */
  readonly itemComplaint: string;
  isType(type: unknown): type is Type;
}

type Members = Readonly<Record<string, unknown>>; // any JSON object is one

type ReadBatch<Type extends ProductType | undefined> =
  | { readonly kind: 'batch'; readonly items: readonly BatchItem<Type>[] }
  | Refusal;

const MEMBERS = ['type', 'name', 'version', 'exists'];
const MEMBER_WORDS = wordsOf(MEMBERS);
const TYPE_WORDS = wordsOf(PRODUCT_TYPES);

/** The items, or a refusal that names each bad member. */
export function* readBatch<Type extends ProductType | undefined>(
  body: Uint8Array,
  form: BatchForm<Type>,
): Steps<ReadBatch<Type>> {
  const items = readPlainBatch(body, form);
  return items === undefined ? yield* readAnyBatch(body, form) : { kind: 'batch', items };
}

/** The items; undefined if the body has another form, or if it is to be refused. */
function readPlainBatch<Type extends ProductType | undefined>(
  body: Uint8Array,
  form: BatchForm<Type>,
): readonly BatchItem<Type>[] | undefined {
  const json = new PlainJson(body);
  const items: BatchItem<Type>[] = [];
  if (!json.openList()) return undefined;
  if (!json.closeList()) {
    let member = 0;
    let typeWord = 0;
    do {
      let type: ProductType | undefined;
      let name: string | undefined;
      let version: string | undefined;
      let exists: boolean | undefined;
      if (!json.openObject()) return undefined;
      do {
        // Most clients write the members of each item in the same order.
        if (!json.string()) return undefined;
        member = json.wordOf(MEMBER_WORDS, member);
        if (member < 0 || !json.colon()) return undefined;
        if (member === 3) {
          exists = json.boolean();
          if (exists === undefined) return undefined;
        } else {
          if (!json.string()) return undefined;
          if (member === 0) {
            typeWord = json.wordOf(TYPE_WORDS, typeWord);
            if (typeWord < 0) return undefined;
            type = PRODUCT_TYPES[typeWord];
          } else if (member === 1) name = json.text;
          else version = json.text;
        }
        member = (member + 1) % MEMBERS.length;
      } while (json.comma());
      if (!json.closeObject() || name === undefined || version === undefined) return undefined;
      // Neither has control characters, and each character is a byte.
      if (!form.isType(type) || name === '' || name.length > MAX_NAME_BYTES) return undefined;
      if (items.push({ type, name, version, exists }) > MAX_BODY_ITEMS) return undefined;
    } while (json.comma());
    if (!json.closeList()) return undefined;
  }
  return json.isDone() ? items : undefined;
}

/** A body of any form, by JSON.parse. */
export function* readAnyBatch<Type extends ProductType | undefined>(
  body: Uint8Array,
  form: BatchForm<Type>,
): Steps<ReadBatch<Type>> {
  const read = yield* readJson(body);
  if (read.kind !== 'json') {
    const isJson = read.kind !== 'not-json';
    const detail = isJson
      ? `The body may ${read.what}, got more.`
      : 'The body must be a JSON array in UTF-8.';
    return refuse(requestProblem('invalid_body', detail));
  }
  const { value: items } = read;
  if (!Array.isArray(items)) return refuseItems('the body must be an array, not wrapped in anything');
  if (items.length > MAX_BODY_ITEMS) {
    return refuseItems(`must be at most ${MAX_BODY_ITEMS}, got ${items.length}`);
  }
  const errors: ParameterError[] = [];
  items.forEach((item, i) => {
    if (!isItem(item, form)) errors.push(...complaintsAbout(item, `items[${i}]`, form));
  });
  return errors.length > 0 ? refuseParameters(errors, 'invalid_batch') : { kind: 'batch', items };
}

/** Refuses the batch as a whole. */
export function refuseItems(message: string): Refusal {
  return refuseParameters([{ parameter: 'items', message }], 'invalid_batch');
}

/** Whether the item is valid. */
function isItem<Type extends ProductType | undefined>(
  item: unknown,
  form: BatchForm<Type>,
): item is BatchItem<Type> {
  if (typeof item !== 'object' || item === null) return false;
  const { type, name, version, exists } = item as Members;
  return (
    form.isType(type) &&
    typeof name === 'string' &&
    nameComplaint(name) === undefined &&
    // What it may contain is up to the dialect: one that cannot be read must not cost the others their
    // answers.
    typeof version === 'string' &&
    (exists === undefined || typeof exists === 'boolean')
  );
}

/** What is wrong with an invalid item. */
function complaintsAbout(
  item: unknown,
  place: string,
  form: BatchForm<ProductType | undefined>,
): ParameterError[] {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return [{ parameter: place, message: form.itemComplaint }];
  }
  const { type, name, version, exists } = item as Members;
  const messages = {
    type: form.isType(type) ? undefined : TYPE_COMPLAINT,
    name: typeof name === 'string' ? nameComplaint(name) : 'must be a string',
    version: typeof version === 'string' ? undefined : 'must be a string',
    exists: exists === undefined || typeof exists === 'boolean' ? undefined : 'must be true or false',
  };
  return Object.entries(messages).flatMap(([member, message]) =>
    message === undefined ? [] : [{ parameter: `${place}.${member}`, message }],
  );
}
