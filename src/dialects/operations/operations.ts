// What the process is doing, and the operator's orders to it, as one value: at the root of every server, in
// the contract's form of errors.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { renderProblemDetails } from '../../http/replies/problems.ts';
import { openApi } from './openapi.ts';
import { routes } from './routes.ts';

export const operations: Dialect = {
  name: 'operations',
  mounts: [{ path: '', description: 'The service’s own root.' }],
  keys: KEY_READING,
  routes,
  renderError: renderProblemDetails,
  openApi,
};
