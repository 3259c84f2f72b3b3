// The body of a batch: a JSON array of products, with the limits of all dialects that take one. It is read as
// a whole or refused as a whole. A body in the form that clients write is read without JSON.parse.

import { readJson } from '../http/bodies/json-body.ts';
import { PlainJson, wordsOf } from '../http/bodies/plain-json.ts';
import type { ParameterError } from '../http/replies/problems.ts';
import type { Refusal } from '../http/replies/responses.ts';
import { refuse } from '../http/replies/responses.ts';
import { MAX_BODY_ITEMS } from '../http/routing/dialect.ts';
import type { Steps } from '../http/work/steps.ts';
import { formComplaint, NAME_FORMS } from '../index/name-forms.ts';
import { isProductType, PRODUCT_TYPES, type ProductType } from '../index/product-type.ts';
import { MAX_NAME_BYTES, nameComplaint, TYPE_COMPLAINT } from './path-part.ts';
import { refuseParameters, requestProblem } from './request-problems.ts';

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
const [TYPE, NAME, , EXISTS] = MEMBERS.keys();
const MEMBER_WORDS = wordsOf(MEMBERS);
/** Each up to its value; of a string, up to its content. */
const MEMBER_STARTS = wordsOf(['"type":"', '"name":"', '"version":"', '"exists":']);
// What must stand before each content leaves no room for anything else.
const BEFORE_TYPE = '{"type":"'.length;
const BEFORE_NAME = '","name":"'.length;
const BEFORE_VERSION = '","version":"'.length;
const TYPE_WORDS = wordsOf(PRODUCT_TYPES);

/** An item by its places in the body: most batches need few of its texts. */
export class PlainItem<Type extends ProductType | undefined> implements BatchItem<Type> {
  readonly body: Uint8Array;
  readonly #json: PlainJson;
  type!: Type;
  exists: boolean | undefined;
  // The contents of two strings of printable ASCII without escapes.
  nameStart = 0;
  nameEnd = 0;
  versionStart = 0;
  versionEnd = 0;
  /** Where the item begins, if up to its version it is written as results are; else undefined. */
  echoStart: number | undefined;

  constructor(body: Uint8Array, json: PlainJson) {
    this.body = body;
    this.#json = json;
  }

  get name(): string {
    return this.#json.textAt(this.nameStart, this.nameEnd);
  }

  get version(): string {
    return this.#json.textAt(this.versionStart, this.versionEnd);
  }
}

/** The items, or a refusal that names each bad member. */
export function* readBatch<Type extends ProductType | undefined>(
  body: Uint8Array,
  form: BatchForm<Type>,
): Steps<ReadBatch<Type>> {
  const items: readonly BatchItem<Type>[] | undefined = readPlainBatch(body, form);
  return items === undefined ? yield* readAnyBatch(body, form) : { kind: 'batch', items };
}

/** The items; undefined if the body has another form, or if it is to be refused. */
function readPlainBatch<Type extends ProductType | undefined>(
  body: Uint8Array,
  form: BatchForm<Type>,
): readonly PlainItem<Type>[] | undefined {
  const json = new PlainJson(body);
  const items: PlainItem<Type>[] = [];
  const isUntypedAllowed = form.isType(undefined);
  if (!json.openList()) return undefined;
  if (!json.closeList()) {
    let member = 0;
    let typeWord = 0;
    do {
      const item = new PlainItem<Type>(body, json);
      let type: ProductType | undefined;
      let typeStart = 0;
      let typeEnd = 0;
      if (!json.openObject()) return undefined;
      const start = json.at - 1;
      do {
        // Most clients write the members of each item in the same order.
        const isValueBegun = json.pass(MEMBER_STARTS[member]);
        if (!isValueBegun) {
          if (!json.string()) return undefined;
          member = json.wordOf(MEMBER_WORDS, member);
          if (member < 0 || !json.colon()) return undefined;
        }
        if (member === EXISTS) {
          item.exists = json.boolean();
          if (item.exists === undefined) return undefined;
        } else {
          if (!(isValueBegun ? json.content() : json.string())) return undefined;
          if (member === TYPE) {
            typeWord = json.wordOf(TYPE_WORDS, typeWord);
            if (typeWord < 0) return undefined;
            type = PRODUCT_TYPES[typeWord];
            typeStart = json.start;
            typeEnd = json.end;
          } else if (member === NAME) {
            item.nameStart = json.start;
            item.nameEnd = json.end;
          } else {
            item.versionStart = json.start;
            item.versionEnd = json.end;
          }
        }
        member = (member + 1) % MEMBERS.length;
      } while (json.comma());
      if (!json.closeObject() || item.nameStart === 0 || item.versionStart === 0) return undefined;
      // A name has no control characters here, and each character is a byte.
      const nameBytes = item.nameEnd - item.nameStart;
      if (nameBytes === 0 || nameBytes > MAX_NAME_BYTES) return undefined;
      if (type === undefined && !isUntypedAllowed) return undefined;
      const nameForm = type === undefined ? undefined : NAME_FORMS[type];
      if (nameForm !== undefined && !nameForm.pattern.test(json.textAt(item.nameStart, item.nameEnd)))
        return undefined;
      item.type = type as Type; // every product type is one of the form's
      if (
        typeStart - start === BEFORE_TYPE &&
        item.nameStart - typeEnd === BEFORE_NAME &&
        item.versionStart - item.nameEnd === BEFORE_VERSION
      ) {
        item.echoStart = start;
      }
      if (items.push(item) > MAX_BODY_ITEMS) return undefined;
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

/** What is wrong with a name of that type, valid or not, or undefined. */
function complaintAboutName(type: unknown, name: string): string | undefined {
  return nameComplaint(name) ?? (isProductType(type) ? formComplaint(type, name) : undefined);
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
    complaintAboutName(type, name) === undefined &&
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
    name: typeof name === 'string' ? complaintAboutName(type, name) : 'must be a string',
    version: typeof version === 'string' ? undefined : 'must be a string',
    exists: exists === undefined || typeof exists === 'boolean' ? undefined : 'must be true or false',
  };
  return Object.entries(messages).flatMap(([member, message]) =>
    message === undefined ? [] : [{ parameter: `${place}.${member}`, message }],
  );
}
