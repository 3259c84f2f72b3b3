// GET /products: products of a type whose names begin with a text, those with the most advisories first, for
// suggestions while someone types.

import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import { readParameters } from '../../http/routing/query.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import { isProductType, type ProductType } from '../../index/product-type.ts';
import { etags } from '../etags.ts';
import { prefixComplaint, TYPE_COMPLAINT } from '../path-part.ts';
import { refuseParameters } from '../request-problems.ts';
import { wholeNumber } from './page-parameters.ts';

const KNOWN = ['type', 'prefix', 'limit'] as const;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 20;

interface ProductsRequest {
  readonly type: ProductType;
  readonly prefix: string;
  readonly limit: number;
}

export function handleProducts(request: RequestView, _: PathParts, context: HandlerContext): Answer {
  const errors: ParameterError[] = [];
  const asked = readProductsRequest(request.query, errors);
  if (asked === undefined) return refuseParameters(errors);
  const etag = etags.patchstack(context.generation);
  if (isCurrent(request.header('if-none-match', etag), etag)) return { kind: 'not-modified', etag };
  return json(renderNames(context, asked), etag);
}

function renderNames(
  { generation, memory: { out } }: HandlerContext,
  { type, prefix, limit }: ProductsRequest,
): Uint8Array {
  const { productSlug, productSlugStart } = generation.parts.columns;
  out.restart();
  out.text('{"products":[');
  generation.productsNamedLike(type, prefix, limit).forEach((product, i) => {
    out.text(i === 0 ? '{"name":' : ',{"name":');
    out.jsonString(productSlug, productSlugStart[product], productSlugStart[product + 1]);
    out.text(`,"advisories":${generation.advisoryCountOf(product)}}`);
  });
  out.text(']}');
  return out.view();
}

/** Undefined with an entry in `errors` for each bad parameter. */
function readProductsRequest(query: string, errors: ParameterError[]): ProductsRequest | undefined {
  const [type, prefix = '', limitText] = readParameters(query, KNOWN, errors);
  const refused = errors.map(({ parameter }) => parameter);
  const complain = (parameter: string, message: string | undefined): void => {
    if (message !== undefined && !refused.includes(parameter)) errors.push({ parameter, message });
  };
  const isKnownType = isProductType(type);
  if (!isKnownType) complain('type', TYPE_COMPLAINT);
  complain('prefix', prefixComplaint(prefix));
  const limit = wholeNumber(limitText, DEFAULT_LIMIT);
  const isLimit = limit >= 1 && limit <= MAX_LIMIT;
  complain('limit', isLimit ? undefined : `must be a whole number from 1 to ${MAX_LIMIT}`);
  return isKnownType && errors.length === 0 ? { type, prefix, limit } : undefined;
}
