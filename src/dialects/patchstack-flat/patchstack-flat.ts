// The flat second version of the Patchstack API, as one value: what PHP clients of WordPress sites ask.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { prepareAll } from './lists.ts';
import { routes } from './routes.ts';

export const patchstackFlat: Dialect = {
  name: 'patchstack-flat',
  mounts: [{ path: '/database/api/v2', description: 'The flat shape of PHP clients.' }],
  keys: KEY_READING,
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
  prepare: prepareAll,
};
