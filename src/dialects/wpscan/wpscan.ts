// WPScan's API, version 3, as one value: for WP-CLI scanners that ask about one product at a time.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { routes } from './routes.ts';

export const wpscan: Dialect = {
  name: 'wpscan',
  mounts: [{ path: '/wpscan', description: 'The API that WP-CLI scanners ask.' }],
  keys: KEY_READING,
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
};
