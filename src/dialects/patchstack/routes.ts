// The table of routes: each path once, with its endpoint, its handler and its operation.

import type { OpenRoute, ReadRoute, Route } from '../../http/dialect.ts';
import type { Operation } from '../../http/openapi/model.ts';
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

function read(
  pattern: string,
  endpoint: string,
  answer: ReadRoute['answer'],
  operation: Operation,
): ReadRoute {
  return { kind: 'read', pattern, endpoint, answer, operation };
}

function open(pattern: string, label: string, answer: OpenRoute['answer'], operation: Operation): OpenRoute {
  return { kind: 'open', pattern, label, answer, operation };
}

export const routes: readonly Route[] = [
  read('/all', 'all', handleAll, operations.listAll),
  read('/latest', 'latest', handleLatest, operations.listLatest),
  {
    kind: 'long-read',
    pattern: '/changes',
    endpoint: 'changes',
    answer: handleChanges,
    operation: operations.listChanges,
  },
  {
    ...read(PRODUCT_PATTERN, 'product', handleProduct, operations.findProduct),
    wide: WIDE_NAME,
    isRemembered: true,
  },
  {
    ...read(`${PRODUCT_PATTERN}/exists`, 'exists', existsHandler(etagOf), operations.productExists),
    wide: WIDE_NAME,
    isRemembered: true,
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
  read('/vulnerability/{id}', 'vulnerability', handleVulnerability, operations.getVulnerability),
  {
    kind: 'long-read',
    pattern: '/explain/{type}/{name}/{version}',
    wide: WIDE_NAME,
    endpoint: 'explain',
    answer: handleExplain,
    operation: operations.explainVersion,
  },
  read('/products', 'products', handleProducts, operations.suggestProducts),
  read('/statistics', 'statistics', handleStatistics, operations.getStatistics),
  open('/openapi.json', 'openapi', answerDocument, operations.getDocument),
  open('/healthz', 'healthz', answerHealth, operations.getHealth),
  open('/readyz', 'readyz', answerReadiness, operations.getReadiness),
];
