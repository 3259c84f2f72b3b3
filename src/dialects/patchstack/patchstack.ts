// The contract, as one value: the dialect of this server's own clients, at the root and below the paths that existing
// clients use.

import { bearerToken } from '../../http/auth.ts';
import type { Dialect } from '../../http/dialect.ts';
import { renderProblemDetails } from '../../http/problems.ts';
import { openApi } from './openapi.ts';
import { routes } from './routes.ts';

const USED = 'The same, under a path existing clients use.';

export const patchstack: Dialect = {
  name: 'patchstack',
  mounts: [
    { path: '', description: 'The service’s own root.' },
    { path: '/database/api/npm', description: USED },
    { path: '/database/api/beta', description: USED },
  ],
  keys: {
    headers: ['PSKey', 'Authorization'],
    // PSKey wins, even if it is invalid.
    read: (request) => {
      const psKey = request.header('pskey');
      return psKey === '' ? bearerToken(request.header('authorization')) : psKey;
    },
    advice: 'Send your API key in the header "PSKey: <key>", or as "Authorization: Bearer <key>".',
    challenge: 'Bearer',
  },
  routes,
  renderError: renderProblemDetails,
  openApi,
};
