// GET …/exists of any dialect: whether a version of a product is vulnerable.

import type { HandlerContext } from '../http/context.ts';
import { isCurrent } from '../http/replies/etag.ts';
import type { ParameterError } from '../http/replies/problems.ts';
import type { ReplyHeader } from '../http/replies/reply-headers.ts';
import type { Refusal } from '../http/replies/responses.ts';
import { json } from '../http/replies/responses.ts';
import type { PathParts, ReadRoute } from '../http/routing/dialect.ts';
import { keepRefusal, keepValue, keptValue } from '../http/routing/path-note.ts';
import type { Generation } from '../index/generation.ts';
import { ANY_VERSION } from '../index/lookup/lookup.ts';
import { lookupHeaders } from './lookup-headers.ts';
import { BAD_VERSION, NOT_CONCRETE, readProduct } from './product-path.ts';
import { refuseParameters } from './request-problems.ts';

const VULNERABLE = Buffer.from('{"vulnerable":true}');
const NOT_VULNERABLE = Buffer.from('{"vulnerable":false}');

/** What a path means in a generation. */
interface Verdict {
  readonly product: number | undefined;
  readonly version: string;
  readonly body: Uint8Array;
  readonly headers: readonly ReplyHeader[];
}

/** The handler for the dialect whose answers have these tags. */
export function existsHandler(etagOf: (generation: Generation) => string): ReadRoute['answer'] {
  return (request, parts, context, note) => {
    const { generation } = context;
    const known = keptValue<Verdict | Refusal>(note, generation.id);
    const verdict = known ?? verdictOf(parts, context);
    if ('kind' in verdict) return known === undefined ? keepRefusal(note, generation.id, verdict) : verdict;
    if (known === undefined) keepValue(note, generation.id, verdict);
    else generation.countLookup(verdict.product, verdict.version);
    const etag = etagOf(generation);
    if (isCurrent(request.header('if-none-match', etag), etag)) return { kind: 'not-modified', etag };
    return json(verdict.body, etag, verdict.headers);
  };
}

function verdictOf(parts: PathParts, { generation, memory }: HandlerContext): Verdict | Refusal {
  const errors: ParameterError[] = [];
  const asked = readProduct(parts, errors);
  if (asked === undefined) return refuseParameters(errors);
  const { type, name, version } = asked;
  if (version === ANY_VERSION) return refuseParameters([NOT_CONCRETE]);
  const product = generation.findProduct(type, name);
  const place = generation.locateIn(type, product, version, memory.locator);
  if (place.kind === 'not-a-version') return refuseParameters([BAD_VERSION]);
  const body = generation.any(place) ? VULNERABLE : NOT_VULNERABLE;
  return { product, version, body, headers: lookupHeaders(generation, asked) };
}
