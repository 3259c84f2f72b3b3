// The contract, as one value: the dialect of this server's own clients, at the root and below the paths that
// existing clients use.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { HandlerContext } from '../../http/context.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { answerDocument, answerHealth, answerReadiness } from '../../http/replies/open-answers.ts';
import { renderProblemDetails } from '../../http/replies/problems.ts';
import type { Dialect, OpenRoute, ReadRoute, Route } from '../../http/routing/dialect.ts';
import { PLATFORMS, PRODUCT_TYPES } from '../../index/product-type.ts';
import { PART_KINDS } from '../../index/versions/key-parts.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from '../batch-request.ts';
import { writeDetail } from '../detail-answer.ts';
import { etags } from '../etags.ts';
import { existsHandler } from '../exists.ts';
import { problemDetails } from '../problem-details.ts';
import { PRODUCT_PATTERN, WIDE_NAME } from '../product-path.ts';
import { PROBLEMS } from '../request-problems.ts';
import { SEVERITIES } from '../severity.ts';
import { vulnerabilityHandler } from '../vulnerability.ts';
import { handleBatch } from './batch.ts';
import { handleChanges } from './changes.ts';
import { EXCLUSIONS, handleExplain } from './explain.ts';
import { handleAll, handleLatest } from './listing.ts';
import { ITEM_ERROR_CODES } from './problems.ts';
import { handleProduct } from './product.ts';
import { handleProducts } from './products.ts';
import { handleStatistics, prepareStatistics } from './statistics.ts';

function read(pattern: string, endpoint: string, answer: ReadRoute['answer']): ReadRoute {
  return { kind: 'read', pattern, endpoint, answer };
}

function open(pattern: string, label: string, answer: OpenRoute['answer']): OpenRoute {
  return { kind: 'open', pattern, label, answer };
}

/** Of one advisory. */
export function writePage({ generation, memory }: HandlerContext, ordinal: number): void {
  const { out, pages } = memory;
  if (pages.copyTo(out, ordinal)) return;
  writeDetail(memory, generation, ordinal);
  pages.keep(ordinal, out.view());
}

const routes: readonly Route[] = [
  { ...read('/all', 'all', handleAll), isRemembered: true },
  { ...read('/latest', 'latest', handleLatest), isRemembered: true },
  { kind: 'long-read', pattern: '/changes', endpoint: 'changes', answer: handleChanges },
  { ...read(PRODUCT_PATTERN, 'product', handleProduct), wide: WIDE_NAME, isRemembered: true },
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
  {
    ...read('/vulnerability/{id}', 'vulnerability', vulnerabilityHandler(etags.patchstack, writePage)),
    isRemembered: true,
  },
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

const USED = 'The same, under a path existing clients use.';

export const patchstack = {
  name: 'patchstack',
  mounts: [
    { path: '', description: 'The service’s own root.' },
    { path: '/database/api/npm', description: USED },
    { path: '/database/api/beta', description: USED },
  ],
  keys: KEY_READING,
  routes,
  renderError: renderProblemDetails,
  openApi: {
    describe: describedIn(new URL('./openapi.json', import.meta.url)),
    errors: problemDetails(PROBLEMS),
    words: {
      Platform: PLATFORMS,
      Severity: SEVERITIES,
      Exclusion: EXCLUSIONS,
      PartKind: PART_KINDS,
      ItemErrorCode: ITEM_ERROR_CODES,
      MostAffected: PRODUCT_TYPES,
    },
  },
  prepare: prepareStatistics,
} satisfies Dialect;
