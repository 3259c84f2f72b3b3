// GET product/{type}/{name}/{version}: the advisories that apply to a version.

import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import { ANY_VERSION, isAskable, isVersionOrAny } from '../../index/lookup/lookup.ts';
import { etags } from '../etags.ts';
import { lookupHeaders } from '../lookup-headers.ts';
import { BAD_VERSION, readProduct } from '../product-path.ts';
import { refuseParameters } from '../request-problems.ts';
import { ItemWriter } from './item.ts';

export function handleProduct(request: RequestView, parts: PathParts, context: HandlerContext): Answer {
  const { generation, memory } = context;
  const errors: ParameterError[] = [];
  const product = readProduct(parts, errors);
  if (product === undefined) return refuseParameters(errors);
  if (!isAskable(product)) return refuseParameters([BAD_VERSION]);
  const etag = etags.patchstackFlat(generation);
  if (isVersionOrAny(product) && isCurrent(request.header('if-none-match'), etag))
    return { kind: 'not-modified', etag };
  const { out, matches, locator } = memory;
  const { type, name, version } = product;
  out.restart();
  out.text('{"vulnerabilities":[');
  const items = ItemWriter.forAnswer({ generation, memory });
  if (version === ANY_VERSION) {
    const row = generation.findProduct(type, name);
    if (row !== undefined) items.writeAll(generation.advisoriesOf(row));
  } else {
    const place = generation.locate(type, name, version, locator);
    if (place.kind === 'not-a-version') return refuseParameters([BAD_VERSION]);
    generation.collect(place, matches);
    for (let i = 0; i < matches.count; i++) {
      if (i > 0) out.text(',');
      items.write(matches.advisoryAt(i), matches.spanAt(i));
    }
  }
  out.text(']}');
  return json(out.view(), etag, lookupHeaders(generation, product));
}
