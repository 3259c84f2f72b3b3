// The contract, as one value: the dialect of this server's own clients, at the root and below the paths that
// existing clients use.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { renderProblemDetails } from '../../http/replies/problems.ts';
import { PLATFORMS, PRODUCT_TYPES } from '../../index/product-type.ts';
import { PART_KINDS } from '../../index/versions/key-parts.ts';
import { problemDetails } from '../problem-details.ts';
import { PROBLEMS } from '../request-problems.ts';
import { SEVERITIES } from '../severity.ts';
import { EXCLUSIONS } from './explain.ts';
import { ITEM_ERROR_CODES } from './problems.ts';
import { routes } from './routes.ts';
import { prepareStatistics } from './statistics-file.ts';

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
