// npm's audit protocol, as one value: at the root, and below `/npm`, where the whole namespace is npm's and a
// registry may stand behind this server (upstream.ts).

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, Mount, Route } from '../../http/routing/dialect.ts';
import { errorObject } from '../error-object.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from './body.ts';
import { handleBulk } from './bulk.ts';
import { renderError } from './problems.ts';
import { handleQuick } from './quick.ts';
import { SEVERITIES } from './severity.ts';

const SECURITY = '/-/npm/v1/security';

const shared = {
  kind: 'body',
  endpoint: 'npm-audit',
  maxBodyBytes: MAX_BODY_BYTES,
  maxDecodedBytes: MAX_BODY_BYTES,
  tooLarge: TOO_LARGE_BODY,
} as const;

const routes: readonly Route[] = [
  { ...shared, pattern: `${SECURITY}/advisories/bulk`, label: 'npm-bulk', answer: handleBulk },
  { ...shared, pattern: `${SECURITY}/audits/quick`, label: 'npm-quick', answer: handleQuick },
  { ...shared, pattern: `${SECURITY}/audits`, label: 'npm-full', answer: handleQuick },
];

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
