// GET /product/{type}/{name}/{version}: the advisories that apply to a version.

import assert from 'node:assert/strict';
import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { NO_HEADERS, type ReplyHeader } from '../../http/replies/reply-headers.ts';
import type { Refusal } from '../../http/replies/responses.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import { keepRefusal, keepValue, keptValue, type PathNote } from '../../http/routing/path-note.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Generation } from '../../index/generation.ts';
import { copyOf, type Located } from '../../index/lookup/locate.ts';
import { ANY_VERSION, isVersionOrAny, type Lookup } from '../../index/lookup/lookup.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { etags } from '../etags.ts';
import { lookupHeaders } from '../lookup-headers.ts';
import { BAD_VERSION, readProduct } from '../product-path.ts';
import { refuseParameters } from '../request-problems.ts';
import { type LookupOptions, readLookupOptions } from './include.ts';
import { writeListed, writeLookup } from './list-answer.ts';

const VULNERABILITIES = Buffer.from('"vulnerabilities":[');
const END_LIST = Buffer.from(']');
const UPDATE_TO = Buffer.from(',"update_to":');

/** What a path means in a generation. */
interface FoundVersion {
  readonly product: number | undefined;
  readonly version: string;
  readonly place: Located;
  readonly headers: readonly ReplyHeader[];
}

export function handleProduct(
  request: RequestView,
  parts: PathParts,
  context: HandlerContext,
  note?: PathNote,
): Answer {
  const { generation, memory } = context;
  const errors: ParameterError[] = [];
  const kept = keptValue<FoundVersion | Refusal>(note, generation.id);
  const isRefused = kept !== undefined && 'kind' in kept;
  if (isRefused && request.query === '') return kept;
  const found = isRefused ? undefined : kept;
  const lookup = found === undefined ? readProduct(parts, errors) : undefined;
  const options = readLookupOptions(request.query, errors);
  const keeper = request.query === '' ? note : undefined; // of what depends on the path alone
  if (found === undefined && lookup === undefined)
    return keepRefusal(keeper, generation.id, refuseParameters(errors));
  if (errors.length > 0) {
    if (lookup !== undefined && !isVersionOrAny(lookup)) errors.push(BAD_VERSION);
    return refuseParameters(errors);
  }
  const etag = etags.patchstack(generation);
  if (
    isCurrent(request.header('if-none-match', etag), etag) &&
    (lookup === undefined || isVersionOrAny(lookup))
  ) {
    if (found !== undefined) {
      generation.countLookup(found.product, found.version);
    } else if (lookup !== undefined && lookup.version !== ANY_VERSION) {
      generation.countLookup(generation.findProduct(lookup.type, lookup.name), lookup.version);
    }
    return { kind: 'not-modified', etag };
  }
  const { out } = memory;
  out.restart();
  out.text('{');
  if (found !== undefined) {
    generation.countLookup(found.product, found.version);
    writeFound(context, found.place, options);
  } else if (lookup === undefined || !writeProduct(context, lookup, options, note)) {
    return keepRefusal(keeper, generation.id, refuseParameters([BAD_VERSION]));
  }
  out.text('}');
  const headers = found?.headers ?? (lookup === undefined ? NO_HEADERS : lookupHeaders(generation, lookup));
  return json(out.view(), etag, headers);
}

/** The body of a product's answer with the version to update to. Requires: a version of the type, or `*`. */
export function renderProduct(generation: Generation, lookup: Lookup): string {
  const memory = new ThreadMemory(generation);
  const { out } = memory;
  out.restart();
  out.text('{');
  const isVersion = writeProduct({ generation, memory }, lookup, {
    withDetails: false,
    withUpdate: true,
  });
  assert.ok(isVersion);
  out.text('}');
  return new TextDecoder().decode(out.view());
}

/**
 * Writes the members of a lookup's answer: the items of a product at a version, or at any, and on request the
 * version to update to. Returns false and writes nothing if the text is not a version. A concrete version's
 * place is kept in `note`.
 */
export function writeProduct(
  context: Pick<HandlerContext, 'generation' | 'memory'>,
  lookup: Lookup,
  options: LookupOptions,
  note?: PathNote,
): boolean {
  const { type, name, version } = lookup;
  const { generation, memory } = context;
  const product = generation.findProduct(type, name);
  if (version === ANY_VERSION) {
    const { out } = memory;
    out.piece(VULNERABILITIES);
    if (product !== undefined) {
      const ordinals = generation.advisoriesOf(product);
      writeListed(memory, generation, ordinals, 0, ordinals.length, options.withDetails);
    }
    out.piece(END_LIST); // "any version" has nothing to update to, so `update_to` is left out
    return true;
  }
  const place = generation.locateIn(type, product, version, memory.locator);
  if (place.kind === 'not-a-version') return false;
  if (note !== undefined) {
    const headers = lookupHeaders(generation, lookup);
    keepValue(note, generation.id, { product, version, place: copyOf(place), headers });
  }
  writeFound(context, place, options);
  return true;
}

function writeFound(
  { generation, memory }: Pick<HandlerContext, 'generation' | 'memory'>,
  place: Located,
  { withDetails, withUpdate }: LookupOptions,
): void {
  const { out } = memory;
  out.piece(VULNERABILITIES);
  writeLookup(memory, generation, place, withDetails);
  out.piece(END_LIST);
  if (withUpdate) writeUpdate(out, generation, place);
}

/** The member `update_to`. */
export function writeUpdate(out: AnswerBuffer, generation: Generation, place: Located): void {
  const update = generation.findUpdate(place);
  out.piece(UPDATE_TO);
  if (update === undefined) out.text('null');
  else out.jsonText(generation.versionText(update));
}
