// The table of routes: each path once, with its endpoint, its handler and its operation.

import type { Route } from '../../http/dialect.ts';
import { answerDocument, answerHealth, answerReadiness } from '../../http/replies/open-answers.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from '../batch-request.ts';
import { existsHandler } from '../exists.ts';
import { PRODUCT_PATTERN, WIDE_NAME } from '../product-path.ts';
import { handleBatch } from './batch.ts';
import { handleChanges } from './changes.ts';
import { etagOf } from './etag.ts';
import { handleExplain } from './explain.ts';
import { handleAll, handleLatest } from './listing.ts';
import * as operations from './openapi/operations.ts';
import { handleProduct } from './product.ts';
import { handleProducts } from './products.ts';
import { handleStatistics } from './statistics.ts';
import { handleVulnerability } from './vulnerability.ts';

export const routes: readonly Route[] = [
  { kind: 'read', pattern: '/all', endpoint: 'all', answer: handleAll, operation: operations.listAll },
  {
    kind: 'read',
    pattern: '/latest',
    endpoint: 'latest',
    answer: handleLatest,
    operation: operations.listLatest,
  },
  {
    kind: 'read',
    pattern: '/changes',
    endpoint: 'changes',
    answer: handleChanges,
    operation: operations.listChanges,
  },
  {
    kind: 'read',
    pattern: PRODUCT_PATTERN,
    wide: WIDE_NAME,
    endpoint: 'product',
    answer: handleProduct,
    operation: operations.findProduct,
  },
  {
    kind: 'read',
    pattern: `${PRODUCT_PATTERN}/exists`,
    wide: WIDE_NAME,
    endpoint: 'exists',
    answer: existsHandler(etagOf),
    operation: operations.productExists,
  },
  {
    kind: 'body',
    pattern: '/batch',
    endpoint: 'batch',
    maxBodyBytes: MAX_BODY_BYTES,
    tooLarge: TOO_LARGE_BODY,
    answer: handleBatch,
    operation: operations.checkBatch,
  },
  {
    kind: 'read',
    pattern: '/vulnerability/{id}',
    endpoint: 'vulnerability',
    answer: handleVulnerability,
    operation: operations.getVulnerability,
  },
  {
    kind: 'long-read',
    pattern: '/explain/{type}/{name}/{version}',
    wide: WIDE_NAME,
    endpoint: 'explain',
    answer: handleExplain,
    operation: operations.explainVersion,
  },
  {
    kind: 'read',
    pattern: '/products',
    endpoint: 'products',
    answer: handleProducts,
    operation: operations.suggestProducts,
  },
  {
    kind: 'read',
    pattern: '/statistics',
    endpoint: 'statistics',
    answer: handleStatistics,
    operation: operations.getStatistics,
  },
  {
    kind: 'open',
    pattern: '/openapi.json',
    label: 'openapi',
    answer: answerDocument,
    operation: operations.getDocument,
  },
  {
    kind: 'open',
    pattern: '/healthz',
    label: 'healthz',
    answer: answerHealth,
    operation: operations.getHealth,
  },
  {
    kind: 'open',
    pattern: '/readyz',
    label: 'readyz',
    answer: answerReadiness,
    operation: operations.getReadiness,
  },
];
