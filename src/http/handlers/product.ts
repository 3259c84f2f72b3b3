// GET /product/{type}/{name}/{version} and …/exists: the advisories that apply to a version, or whether any does.

import type { Generation } from '../../index/generation.ts';
import { writeListed } from '../../index/list-answer.ts';
import { type Lookup, writeLookup } from '../../index/lookup-answer.ts';
import { etagOf, isCurrent } from '../etag.ts';
import { decodePart, isProductType, nameComplaint, TYPE_COMPLAINT, versionComplaint } from '../path-part.ts';
import type { ParameterError } from '../problems.ts';
import type { RequestView } from '../request-view.ts';
import { type Answer, invalid, json } from '../responses.ts';
import type { KeyedRoute } from '../routes.ts';
import type { HandlerContext } from './context.ts';
import { readOnlyInclude } from './include.ts';

export const ANY_VERSION = '*';
export const NO_VERSION = 'is no version under the version scheme of this product';

type ProductRoute = Extract<KeyedRoute, { kind: 'product' }>;

const VULNERABLE = Buffer.from('{"vulnerable":true}');
const NOT_VULNERABLE = Buffer.from('{"vulnerable":false}');

export function handleProduct(request: RequestView, route: ProductRoute, context: HandlerContext): Answer {
  const { generation, out } = context;
  const errors: ParameterError[] = [];
  const product = readProduct(route, errors);
  const withDetails = readOnlyInclude(request.query, errors);
  if (product === undefined || errors.length > 0) return invalid('invalid_parameter', errors);
  const etag = etagOf(generation);
  if (isCurrent(request.header('if-none-match'), etag) && isVersionOf(generation, product)) {
    return { kind: 'not-modified', etag };
  }
  out.restart();
  out.text('{"vulnerabilities":[');
  if (!writeProduct(context, product, withDetails)) {
    return invalid('invalid_parameter', [{ parameter: 'version', message: NO_VERSION }]);
  }
  out.text(']}');
  return json(out.view(), etag);
}

export function handleExists(request: RequestView, route: ProductRoute, context: HandlerContext): Answer {
  const { generation } = context;
  const errors: ParameterError[] = [];
  const product = readProduct(route, errors);
  if (product === undefined) return invalid('invalid_parameter', errors);
  const { type, name, version } = product;
  if (version === ANY_VERSION) {
    return invalid('invalid_parameter', [{ parameter: 'version', message: 'must be a concrete version' }]);
  }
  const isVulnerable = generation.isVulnerable(type, name, version);
  if (isVulnerable === undefined) {
    return invalid('invalid_parameter', [{ parameter: 'version', message: NO_VERSION }]);
  }
  const etag = etagOf(generation);
  if (isCurrent(request.header('if-none-match'), etag)) return { kind: 'not-modified', etag };
  return json(isVulnerable ? VULNERABLE : NOT_VULNERABLE, etag);
}

function isVersionOf(generation: Generation, { type, name, version }: Lookup): boolean {
  return version === ANY_VERSION || generation.isVulnerable(type, name, version) !== undefined;
}

/** Writes the items of a product at a version, or at any. False, and at most blanks are written, when it is none. */
export function writeProduct(
  { generation, out, matches }: HandlerContext,
  lookup: Lookup,
  withDetails: boolean,
): boolean {
  const { type, name, version } = lookup;
  if (version !== ANY_VERSION) return writeLookup(out, generation, lookup, matches, withDetails);
  const product = generation.findProduct(type, name);
  if (product === undefined) return true;
  const ordinals = generation.advisoriesOf(product);
  writeListed(out, generation, ordinals, 0, ordinals.length, withDetails);
  return true;
}

/** The parts of the path decoded, or undefined with one entry in `errors` for each bad one. */
function readProduct(route: ProductRoute, errors: ParameterError[]): Lookup | undefined {
  const { type } = route;
  if (!isProductType(type)) errors.push({ parameter: 'type', message: TYPE_COMPLAINT });
  const name = readPart('name', route.name, nameComplaint, errors);
  const version = readPart('version', route.version, versionComplaint, errors);
  if (!isProductType(type) || name === undefined || version === undefined) return undefined;
  return { type, name, version };
}

function readPart(
  parameter: string,
  part: string,
  complaintOf: (text: string) => string | undefined,
  errors: ParameterError[],
): string | undefined {
  const text = decodePart(part);
  const message = text === undefined ? 'has a percent escape that is not valid' : complaintOf(text);
  if (message !== undefined) errors.push({ parameter, message });
  return message === undefined ? text : undefined;
}
