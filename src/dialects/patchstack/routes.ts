// The table of routes: each path once, with its endpoint, its handler and its operation.

import type { Route } from '../../http/dialect.ts';
import { answerDocument, answerHealth, answerReadiness } from '../../http/open-answers.ts';
import { PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';
import { handleBatch, MAX_BODY_BYTES } from './batch.ts';
import { handleExplain } from './explain.ts';
import { handleAll, handleLatest } from './listing.ts';
import * as operations from './openapi/operations.ts';
import { handleExists, handleProduct } from './product.ts';
import { handleVulnerability } from './vulnerability.ts';

const SCOPED_TYPES: readonly string[] = PRODUCT_TYPE_TABLE.filter(({ hasScopes }) => hasScopes).map(
  ({ name }) => name,
);
const PRODUCT = '/product/{type}/{name}/{version}';
/** A scope without an encoded slash. `@foo` alone is not an npm name, so a scope always begins a pair. */
const SCOPE = /^(?:@|%40)(?!.*%2f)/i;

/** A scoped name may be sent unescaped, as `@scope/pkg`: two parts of a path. */
const wide = {
  name: (part: string, type: string): boolean => SCOPED_TYPES.includes(type) && SCOPE.test(part),
};

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
    pattern: PRODUCT,
    wide,
    endpoint: 'product',
    answer: handleProduct,
    operation: operations.findProduct,
  },
  {
    kind: 'read',
    pattern: `${PRODUCT}/exists`,
    wide,
    endpoint: 'exists',
    answer: handleExists,
    operation: operations.productExists,
  },
  {
    kind: 'body',
    pattern: '/batch',
    endpoint: 'batch',
    maxBodyBytes: MAX_BODY_BYTES,
    tooLarge: `A batch has at most ${MAX_BODY_BYTES} bytes.`,
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
    kind: 'read',
    pattern: '/explain/{type}/{name}/{version}',
    wide,
    endpoint: 'explain',
    answer: handleExplain,
    operation: operations.explainVersion,
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
