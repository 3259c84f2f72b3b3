// What the process is doing, and the operator's orders to it, as one value: at the root of every server, in
// the contract's form of errors.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { ORDER_PROBLEMS, ORDERS } from '../../http/operations-view.ts';
import { ORIGIN_PROBLEMS } from '../../http/order-origin.ts';
import { renderProblemDetails } from '../../http/replies/problems.ts';
import { problemDetails } from '../problem-details.ts';
import { PROBLEMS } from '../request-problems.ts';
import { routes } from './routes.ts';

export const operations: Dialect = {
  name: 'operations',
  mounts: [{ path: '', description: 'The service’s own root.' }],
  keys: KEY_READING,
  routes,
  renderError: renderProblemDetails,
  openApi: {
    describe: describedIn(new URL('./openapi.json', import.meta.url)),
    errors: problemDetails({ ...PROBLEMS, ...ORDER_PROBLEMS, ...ORIGIN_PROBLEMS }),
    words: { Order: ORDERS },
  },
};
