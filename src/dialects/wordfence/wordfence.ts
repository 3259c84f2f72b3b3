// The Wordfence Intelligence feed, version 3, as one value: for wordfence-cli, and for scanners that download
// the feed.

import { isLicence, KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { prepareFeed } from './feed.ts';
import { routes } from './routes.ts';

export const wordfence: Dialect = {
  name: 'wordfence',
  mounts: [{ path: '/wordfence', description: 'The feed that wordfence-cli downloads.' }],
  keys: { ...KEY_READING, isForeign: isLicence },
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
  prepare: prepareFeed,
};
