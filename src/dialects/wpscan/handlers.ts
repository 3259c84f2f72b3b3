// GET /plugins/{slug}, /themes/{slug} and /wordpresses/{version}. The first two list what is on record about
// a product, for clients that compare versions themselves; the third what applies to a version of WordPress.

import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import type { Refusal } from '../../http/replies/responses.ts';
import { type Answer, json, refuse } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { ProductType } from '../../index/product-type.ts';
import { etags } from '../etags.ts';
import { nameComplaint } from '../path-part.ts';
import { readPart } from '../product-path.ts';
import { refuseParameters } from '../request-problems.ts';
import { coreVersions } from './core-version.ts';
import { EntryWriter } from './entry.ts';

const WORDPRESS = 'wordpress';

/** Not an error for clients: it means that there is no data. */
function unknown(what: string): Answer {
  return refuse({
    code: 'unknown_product',
    status: 404,
    title: 'No data about this product',
    detail: `There is no data about ${what}.`,
  });
}

export function handlerFor(
  type: Extract<ProductType, 'plugin' | 'theme'>,
): (request: RequestView, parts: PathParts, context: HandlerContext) => Answer {
  return (request, [part], context) => {
    const { generation, memory } = context;
    const slug = readSlug('slug', part);
    if (typeof slug !== 'string') return slug;
    const product = generation.findProduct(type, slug);
    const ordinals = product === undefined ? [] : generation.advisoriesOf(product);
    if (ordinals.length === 0) return unknown(`this ${type}`);
    const etag = etags.wpscan(generation);
    if (isCurrent(request.header('if-none-match'), etag)) return { kind: 'not-modified', etag };
    const { out } = memory;
    const entries = new EntryWriter(context);
    out.restart();
    out.text('{');
    out.jsonText(slug);
    out.text(startOf(entries.productName(ordinals[0])));
    ordinals.forEach((ordinal, i) => {
      if (i > 0) out.text(',');
      entries.writeAll(ordinal);
    });
    out.text(']}}');
    return json(out.view(), etag);
  };
}

export function handleWordpress(request: RequestView, [part]: PathParts, context: HandlerContext): Answer {
  const { generation, memory } = context;
  const undotted = readSlug('version', part);
  if (typeof undotted !== 'string') return undotted;
  const versions = coreVersions(undotted);
  const product = generation.findProduct(WORDPRESS, WORDPRESS);
  if (versions.length === 0 || product === undefined) return unknown('this version of WordPress');
  const etag = etags.wpscan(generation);
  if (isCurrent(request.header('if-none-match'), etag)) return { kind: 'not-modified', etag };
  const { out, matches, locator } = memory;
  const entries = new EntryWriter(context);
  out.restart();
  versions.forEach((version, i) => {
    out.text(i === 0 ? '{' : ',');
    out.jsonText(version);
    out.text(startOf('WordPress'));
    const place = generation.locate(WORDPRESS, WORDPRESS, version, locator);
    // A text that begins with a digit is a version.
    if (place.kind !== 'not-a-version') {
      generation.collect(place, matches);
      for (let at = 0; at < matches.count; at++) {
        if (at > 0) out.text(',');
        entries.writeOfCore(matches.advisoryAt(at), matches.spanAt(at));
      }
    }
    out.text(']}');
  });
  out.text('}');
  return json(out.view(), etag);
}

/**
 * The start of a product, up to its list. The members that are null are about releases, of which there is no
 * data.
 */
function startOf(name: string | null): string {
  return `:{"friendly_name":${JSON.stringify(name)},"latest_version":null,"last_updated":null,"popular":false,"vulnerabilities":[`;
}

function readSlug(parameter: string, part: string): string | Refusal {
  const errors: ParameterError[] = [];
  return readPart(parameter, part, nameComplaint, errors) ?? refuseParameters(errors);
}
