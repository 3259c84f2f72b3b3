// The table of routes: each path once, with its endpoint, its label, its handler and its operation.

import type { Route } from '../../http/dialect.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from '../batch-request.ts';
import { existsHandler } from '../exists.ts';
import { PRODUCT_PATTERN, WIDE_NAME } from '../product-path.ts';
import { handleBatch } from './batch.ts';
import { etagOf } from './etag.ts';
import { handleAll, handleLatest } from './lists.ts';
import * as operations from './openapi.ts';
import { handleProduct } from './product.ts';
import { handleVulnerability } from './vulnerability.ts';

export const routes: readonly Route[] = [
  {
    kind: 'read',
    pattern: PRODUCT_PATTERN,
    wide: WIDE_NAME,
    endpoint: 'product',
    label: 'flat-product',
    answer: handleProduct,
    operation: operations.findProduct,
  },
  {
    kind: 'read',
    pattern: `${PRODUCT_PATTERN}/exists`,
    wide: WIDE_NAME,
    endpoint: 'exists',
    label: 'flat-exists',
    answer: existsHandler(etagOf),
    operation: operations.productExists,
  },
  {
    kind: 'read',
    pattern: '/latest',
    endpoint: 'latest',
    label: 'flat-latest',
    answer: handleLatest,
    operation: operations.listLatest,
  },
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
  {
    kind: 'read',
    pattern: '/vulnerability/{id}',
    endpoint: 'vulnerability',
    label: 'flat-vulnerability',
    answer: handleVulnerability,
    operation: operations.getVulnerability,
  },
  {
    kind: 'read',
    pattern: '/all',
    endpoint: 'all',
    label: 'flat-all',
    answer: handleAll,
    operation: operations.listAll,
  },
];
