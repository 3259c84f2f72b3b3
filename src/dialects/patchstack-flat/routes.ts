// The table of routes: each path once, with its endpoint, its label, its handler and its operation.

import type { ReadRoute, Route } from '../../http/dialect.ts';
import type { Operation } from '../../http/openapi/model.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from '../batch-request.ts';
import { existsHandler } from '../exists.ts';
import { PRODUCT_PATTERN, WIDE_NAME } from '../product-path.ts';
import { handleBatch } from './batch.ts';
import { etagOf } from './etag.ts';
import { handleAll, handleLatest } from './lists.ts';
import * as operations from './openapi.ts';
import { handleProduct } from './product.ts';
import { handleVulnerability } from './vulnerability.ts';

function read(
  pattern: string,
  endpoint: string,
  answer: ReadRoute['answer'],
  operation: Operation,
): ReadRoute {
  return { kind: 'read', pattern, endpoint, label: `flat-${endpoint}`, answer, operation };
}

export const routes: readonly Route[] = [
  {
    ...read(PRODUCT_PATTERN, 'product', handleProduct, operations.findProduct),
    wide: WIDE_NAME,
  },
  {
    ...read(`${PRODUCT_PATTERN}/exists`, 'exists', existsHandler(etagOf), operations.productExists),
    wide: WIDE_NAME,
    isRemembered: true,
  },
  read('/latest', 'latest', handleLatest, operations.listLatest),
  {
    kind: 'body',
    pattern: '/batch',
    endpoint: 'batch',
    label: 'flat-batch',
    maxBodyBytes: MAX_BODY_BYTES,
    tooLarge: TOO_LARGE_BODY,
    answer: handleBatch,
    operation: operations.checkBatch,
  },
  read('/vulnerability/{id}', 'vulnerability', handleVulnerability, operations.getVulnerability),
  read('/all', 'all', handleAll, operations.listAll),
];
