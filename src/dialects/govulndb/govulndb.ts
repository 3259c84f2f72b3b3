// The vulnerability database of Go as one value: for govulncheck, which reads an index of modules and fetches
// the records that may affect what it scans.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { prepareIndex } from './index-files.ts';
import { routes } from './routes.ts';

export const govulndb: Dialect = {
  name: 'govulndb',
  mounts: [{ path: '/govulndb', description: 'The vulnerability database that govulncheck reads.' }],
  keys: KEY_READING,
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
  prepare: prepareIndex,
};
