// npm's audit protocol, as one value: at the root, and below `/npm`, where the whole namespace is npm's and a
// registry may stand behind this server (upstream.ts).

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect, Mount } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { errorObject } from '../error-object.ts';
import { renderError } from './problems.ts';
import { routes } from './routes.ts';
import { SEVERITIES } from './severity.ts';

/** The whole namespace below it is npm's: at the root, packages are called `all`, `latest` and `batch`. */
export const NPM_MOUNT: Mount = { path: '/npm', description: 'As the registry of an npm client.' };

export const npmAudit: Dialect = {
  name: 'npm-audit',
  mounts: [{ path: '', description: 'The service’s own root.' }, NPM_MOUNT],
  keys: {
    ...KEY_READING,
    advice:
      'Send your API key as _authToken or as the password of _auth of this registry, as user:key@ in its address, or in ' +
      'the header "PSKey: <key>".',
  },
  routes,
  renderError,
  openApi: {
    describe: describedIn(new URL('./openapi.json', import.meta.url)),
    errors: errorObject,
    words: { NpmSeverity: SEVERITIES, NpmCounts: SEVERITIES },
  },
};
