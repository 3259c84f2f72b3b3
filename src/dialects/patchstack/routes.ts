// The table of routes: each path once, with its endpoint and its handler.

import type { OpenRoute, ReadRoute, Route } from '../../http/dialect.ts';
import { answerDocument, answerHealth, answerReadiness } from '../../http/replies/open-answers.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from '../batch-request.ts';
import { etags } from '../etags.ts';
import { existsHandler } from '../exists.ts';
import { PRODUCT_PATTERN, WIDE_NAME } from '../product-path.ts';
import { handleBatch } from './batch.ts';
import { handleChanges } from './changes.ts';
import { handleExplain } from './explain.ts';
import { handleAll, handleLatest } from './listing.ts';
import { handleProduct } from './product.ts';
import { handleProducts } from './products.ts';
import { handleStatistics } from './statistics.ts';
import { handleVulnerability } from './vulnerability.ts';

function read(pattern: string, endpoint: string, answer: ReadRoute['answer']): ReadRoute {
  return { kind: 'read', pattern, endpoint, answer };
}

function open(pattern: string, label: string, answer: OpenRoute['answer']): OpenRoute {
  return { kind: 'open', pattern, label, answer };
}

export const routes: readonly Route[] = [
  read('/all', 'all', handleAll),
  read('/latest', 'latest', handleLatest),
  {
    kind: 'long-read',
    pattern: '/changes',
    endpoint: 'changes',
    answer: handleChanges,
  },
  {
    ...read(PRODUCT_PATTERN, 'product', handleProduct),
    wide: WIDE_NAME,
    isRemembered: true,
  },
  {
    ...read(`${PRODUCT_PATTERN}/exists`, 'exists', existsHandler(etags.patchstack)),
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
  },
  read('/vulnerability/{id}', 'vulnerability', handleVulnerability),
  {
    kind: 'long-read',
    pattern: '/explain/{type}/{name}/{version}',
    wide: WIDE_NAME,
    endpoint: 'explain',
    answer: handleExplain,
  },
  read('/products', 'products', handleProducts),
  read('/statistics', 'statistics', handleStatistics),
  open('/openapi.json', 'openapi', answerDocument),
  open('/healthz', 'healthz', answerHealth),
  open('/readyz', 'readyz', answerReadiness),
];
