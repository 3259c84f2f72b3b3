// The contract, as one value: the dialect of this server's own clients, at the root and below the paths that
// existing clients use.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { renderProblemDetails } from '../../http/replies/problems.ts';
import { openApi } from './openapi.ts';
import { routes } from './routes.ts';
import { prepareStatistics } from './statistics-file.ts';

const USED = 'The same, under a path existing clients use.';

export const patchstack: Dialect = {
  name: 'patchstack',
  mounts: [
    { path: '', description: 'The service’s own root.' },
    { path: '/database/api/npm', description: USED },
    { path: '/database/api/beta', description: USED },
  ],
  keys: KEY_READING,
  routes,
  renderError: renderProblemDetails,
  openApi,
  prepare: prepareStatistics,
};
