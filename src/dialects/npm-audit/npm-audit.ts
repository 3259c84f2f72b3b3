// npm's audit protocol, as one value: at the root, and below `/npm`, where the whole namespace is npm's and a registry may
// stand behind this server (upstream.ts).

import { KEY_HEADERS, readKey } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { MOUNTS } from './mounts.ts';
import { openApi } from './openapi.ts';
import { renderError } from './problems.ts';
import { routes } from './routes.ts';

export const npmAudit: Dialect = {
  name: 'npm-audit',
  mounts: MOUNTS,
  keys: {
    headers: KEY_HEADERS,
    read: readKey,
    advice:
      'Send your API key as _authToken or as the password of _auth of this registry, as user:key@ in its address, or in ' +
      'the header "PSKey: <key>".',
    challenge: 'Bearer',
  },
  routes,
  renderError,
  openApi,
};
