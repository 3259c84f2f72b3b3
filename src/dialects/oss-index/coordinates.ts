// The coordinates of a request: package URLs, each read as the OSV mount reads one. All of them are read, or
// the request is refused.

import { isObject, readJson } from '../../http/bodies/json-body.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import type { Refusal } from '../../http/replies/responses.ts';
import type { Steps } from '../../http/work/steps.ts';
import { productNamed } from '../osv/ecosystems.ts';
import type { PackageQuery } from '../osv/matcher.ts';
import { readQuery } from '../osv/read-query.ts';
import { invalidBody, invalidCoordinates } from './problems.ts';

export const MAX_COORDINATES = 128;

export type Coordinate =
  /** `purl` as sent. */
  | { readonly kind: 'package'; readonly purl: string; readonly query: PackageQuery }
  /** Of a type whose packages are not held: `about` says which. */
  | { readonly kind: 'not-held'; readonly purl: string; readonly about: string };

type ReadCoordinates = { readonly kind: 'coordinates'; readonly list: readonly Coordinate[] } | Refusal;

export function* readCoordinates(body: Uint8Array): Steps<ReadCoordinates> {
  const read = yield* readJson(body);
  if (read.kind === 'not-json') return invalidBody('The body must be a JSON object in UTF-8.');
  if (read.kind === 'too-complex') return invalidBody(`The body may ${read.what}, got more.`);
  const sent = isObject(read.value) ? read.value.coordinates : undefined;
  if (!Array.isArray(sent)) return refuseAll('must be a list of package URLs');
  if (sent.length > MAX_COORDINATES)
    return refuseAll(`must be at most ${MAX_COORDINATES}, got ${sent.length}`);
  const list: Coordinate[] = [];
  const errors: ParameterError[] = [];
  for (const [i, purl] of (sent as readonly unknown[]).entries()) {
    const coordinate = typeof purl === 'string' ? readCoordinate(purl) : 'must be a package URL';
    if (typeof coordinate === 'string') errors.push({ parameter: `coordinates[${i}]`, message: coordinate });
    else list.push(coordinate);
  }
  return errors.length > 0 ? invalidCoordinates(errors) : { kind: 'coordinates', list };
}

/** The coordinate, or what is wrong with it. */
export function readCoordinate(purl: string): Coordinate | string {
  if (purl === '') return 'must not be empty';
  const query = readQuery({ package: { purl } });
  switch (query.kind) {
    case 'package':
      return query.ecosystems.some((each) => productNamed(each, '', query.name).kind === 'none')
        ? 'invalid package name: must be plugin/SLUG, theme/SLUG or wordpress'
        : { kind: 'package', purl, query };
    case 'not-held':
      return { kind: 'not-held', purl, about: query.about };
    case 'no-ecosystem':
      return `no such ecosystem: ${query.about}`;
    case 'bad':
      return query.message;
  }
}

function refuseAll(message: string): Refusal {
  return invalidCoordinates([{ parameter: 'coordinates', message }]);
}
