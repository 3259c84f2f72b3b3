// The flat second version of the Patchstack API, as one value: what PHP clients of WordPress sites ask.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { HandlerContext } from '../../http/context.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, ReadRoute, Route } from '../../http/routing/dialect.ts';
import { NONE } from '../../index/columns.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from '../batch-request.ts';
import { writeDetailRest } from '../detail-answer.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { etags } from '../etags.ts';
import { existsHandler } from '../exists.ts';
import { PRODUCT_PATTERN, WIDE_NAME } from '../product-path.ts';
import { vulnerabilityHandler } from '../vulnerability.ts';
import { handleBatch } from './batch.ts';
import { ItemWriter } from './item.ts';
import { handleAll, handleLatest, prepareAll } from './lists.ts';
import { handleProduct } from './product.ts';

function read(pattern: string, endpoint: string, answer: ReadRoute['answer']): ReadRoute {
  return { kind: 'read', pattern, endpoint, label: `flat-${endpoint}`, answer };
}

/** Of one advisory: an item, and what the contract's page has beside it. */
function writePage({ generation, memory }: HandlerContext, ordinal: number): void {
  const { out } = memory;
  memory.cacheOf('patchstack-flat-page').write(out, ordinal, () => {
    out.text('{"vulnerability":');
    ItemWriter.forAnswer({ generation, memory }).write(ordinal, NONE);
    writeDetailRest(memory, generation, ordinal);
    out.text('}');
  });
}

const routes: readonly Route[] = [
  { ...read(PRODUCT_PATTERN, 'product', handleProduct), wide: WIDE_NAME },
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
  {
    ...read('/vulnerability/{id}', 'vulnerability', vulnerabilityHandler(etags.patchstackFlat, writePage)),
    isRemembered: true,
  },
  read('/all', 'all', handleAll),
];

export const patchstackFlat: Dialect = {
  name: 'patchstack-flat',
  mounts: [{ path: '/database/api/v2', description: 'The flat shape of PHP clients.' }],
  keys: KEY_READING,
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
  prepare: prepareAll,
};
