// POST /batch: up to 50 lookups in one request, answered in its order, each echoing its item as sent.

import type { AnswerBuffer } from '../../index/answer-buffer.ts';
import type { Lookup } from '../../index/lookup-answer.ts';
import { etagOf } from '../etag.ts';
import { isProductType, nameComplaint, TYPE_COMPLAINT, versionComplaint } from '../path-part.ts';
import type { ParameterError } from '../problems.ts';
import type { RequestView } from '../request-view.ts';
import { type Answer, invalid, json, problem } from '../responses.ts';
import type { HandlerContext } from './context.ts';
import { readOnlyInclude } from './include.ts';
import { ANY_VERSION, NO_VERSION, writeProduct } from './product.ts';

export const MAX_ITEMS = 50;
export const MAX_BODY_BYTES = 64 * 1024;

interface BatchItem extends Lookup {
  readonly existsOnly: boolean;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

export function handleBatch(
  request: Pick<RequestView, 'query'>,
  body: Uint8Array,
  context: HandlerContext,
): Answer {
  let parsed: unknown;
  try {
    parsed = JSON.parse(strictUtf8.decode(body));
  } catch {
    return problem('invalid_body', 'The body must be a JSON array in UTF-8.');
  }
  const errors: ParameterError[] = [];
  const items = readItems(parsed, errors);
  if (errors.length > 0) return invalid('invalid_batch', errors);
  const withDetails = readOnlyInclude(request.query, errors);
  if (errors.length > 0) return invalid('invalid_parameter', errors);
  const { out, generation } = context;
  out.restart();
  out.text('[');
  items.forEach((item, i) => {
    if (i > 0) out.text(',');
    writeResult(out, item, context, withDetails);
  });
  out.text(']');
  return json(out.view(), etagOf(generation));
}

function writeResult(
  out: AnswerBuffer,
  item: BatchItem,
  context: HandlerContext,
  withDetails: boolean,
): void {
  const { type, name, version, existsOnly } = item;
  const echo = JSON.stringify({ type, name, version }).slice(0, -1);
  out.text(echo);
  // An empty version is left to the product's schemes: a product nobody knows has none that it could violate.
  const complaint = version === '' ? undefined : versionComplaint(version);
  if (complaint !== undefined) {
    writeItemError(out, complaint);
    return;
  }
  if (existsOnly) {
    const isVulnerable =
      version === ANY_VERSION ? undefined : context.generation.isVulnerable(type, name, version);
    if (isVulnerable === undefined) {
      writeItemError(out, version === ANY_VERSION ? 'must be a concrete version' : NO_VERSION);
    } else {
      out.text(isVulnerable ? ',"vulnerable":true}' : ',"vulnerable":false}');
    }
    return;
  }
  const begun = out.length;
  out.text(',"vulnerabilities":[');
  if (writeProduct(context, item, withDetails)) {
    out.text(']}');
  } else {
    out.truncate(begun);
    writeItemError(out, NO_VERSION);
  }
}

function writeItemError(out: AnswerBuffer, message: string): void {
  out.text(`,"error":${JSON.stringify({ code: 'invalid_version', message: `version ${message}` })}}`);
}

/** The items, or entries in `errors` that name each bad place. */
function readItems(body: unknown, errors: ParameterError[]): BatchItem[] {
  if (!Array.isArray(body)) {
    errors.push({ parameter: 'items', message: 'the body must be an array, not wrapped in anything' });
    return [];
  }
  if (body.length > MAX_ITEMS) {
    errors.push({ parameter: 'items', message: `must be at most ${MAX_ITEMS}, got ${body.length}` });
    return [];
  }
  return body.map((item, i) => readItem(item, `items[${i}]`, errors));
}

const NO_ITEM: BatchItem = { type: 'plugin', name: '', version: '', existsOnly: false };

function readItem(item: unknown, place: string, errors: ParameterError[]): BatchItem {
  const refuse = (member: string, message: string): void => {
    errors.push({ parameter: `${place}${member}`, message });
  };
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    refuse('', 'must be an object with type, name and version');
    return NO_ITEM;
  }
  const { type, name, version, exists } = item as Readonly<Record<string, unknown>>; // any JSON object is one
  if (!isProductType(type)) refuse('.type', TYPE_COMPLAINT);
  const nameMessage = typeof name === 'string' ? nameComplaint(name) : 'must be a string';
  if (nameMessage !== undefined) refuse('.name', nameMessage);
  // An empty or over-long version is that item's error, for the other 49 products have done nothing wrong.
  if (typeof version !== 'string') refuse('.version', 'must be a string');
  if (exists !== undefined && typeof exists !== 'boolean') refuse('.exists', 'must be true or false');
  return isProductType(type) && typeof name === 'string' && typeof version === 'string'
    ? { type, name, version, existsOnly: exists === true }
    : NO_ITEM;
}
