// The component reports of OSS Index, version 3, as one value: for Dependency-Check, auditjs, nancy and jake.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { routes } from './routes.ts';

export const ossIndex: Dialect = {
  name: 'oss-index',
  mounts: [{ path: '/oss-index', description: 'The component reports of OSS Index.' }],
  keys: {
    ...KEY_READING,
    advice:
      'Send your API key as the password or token of this client, beside any user name, or in the header ' +
      '"PSKey: <key>".',
  },
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
};
