// The table of routes: each path once, with its endpoint, its label and its handler.

import type { ReadRoute, Route } from '../../http/dialect.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from '../batch-request.ts';
import { etags } from '../etags.ts';
import { existsHandler } from '../exists.ts';
import { PRODUCT_PATTERN, WIDE_NAME } from '../product-path.ts';
import { handleBatch } from './batch.ts';
import { handleAll, handleLatest } from './lists.ts';
import { handleProduct } from './product.ts';
import { handleVulnerability } from './vulnerability.ts';

function read(pattern: string, endpoint: string, answer: ReadRoute['answer']): ReadRoute {
  return { kind: 'read', pattern, endpoint, label: `flat-${endpoint}`, answer };
}

export const routes: readonly Route[] = [
  {
    ...read(PRODUCT_PATTERN, 'product', handleProduct),
    wide: WIDE_NAME,
  },
  {
    ...read(`${PRODUCT_PATTERN}/exists`, 'exists', existsHandler(etags.patchstackFlat)),
    wide: WIDE_NAME,
    isRemembered: true,
  },
  read('/latest', 'latest', handleLatest),
  {
    kind: 'body',
    pattern: '/batch',
    endpoint: 'batch',
    label: 'flat-batch',
    maxBodyBytes: MAX_BODY_BYTES,
    tooLarge: TOO_LARGE_BODY,
    answer: handleBatch,
  },
  read('/vulnerability/{id}', 'vulnerability', handleVulnerability),
  read('/all', 'all', handleAll),
];
