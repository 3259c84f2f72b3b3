// GET …/exists of any dialect: whether a version of a product is vulnerable.

import type { ReadRoute } from '../http/dialect.ts';
import { isCurrent } from '../http/replies/etag.ts';
import type { ParameterError } from '../http/replies/problems.ts';
import { json } from '../http/replies/responses.ts';
import type { Generation } from '../index/generation.ts';
import { ANY_VERSION } from '../index/lookup/lookup.ts';
import { BAD_VERSION, NOT_CONCRETE, readProduct } from './product-path.ts';
import { refuseParameters } from './request-problems.ts';

const VULNERABLE = Buffer.from('{"vulnerable":true}');
const NOT_VULNERABLE = Buffer.from('{"vulnerable":false}');

/** The handler for the dialect whose answers have these tags. */
export function existsHandler(etagOf: (generation: Generation) => string): ReadRoute['answer'] {
  return (request, parts, { generation, memory }) => {
    const errors: ParameterError[] = [];
    const product = readProduct(parts, errors);
    if (product === undefined) return refuseParameters(errors);
    const { type, name, version } = product;
    if (version === ANY_VERSION) return refuseParameters([NOT_CONCRETE]);
    const place = generation.locate(type, name, version, memory.locator);
    if (place.kind === 'not-a-version') return refuseParameters([BAD_VERSION]);
    const etag = etagOf(generation);
    if (isCurrent(request.header('if-none-match'), etag)) return { kind: 'not-modified', etag };
    return json(generation.any(place) ? VULNERABLE : NOT_VULNERABLE, etag);
  };
}
