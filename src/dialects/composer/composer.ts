// A repository of Composer that has advisories and no packages, as one value.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { composerError, renderError } from './problems.ts';
import { routes } from './routes.ts';

export const composer: Dialect = {
  name: 'composer',
  mounts: [{ path: '/composer', description: 'A repository for composer.json, of advisories alone.' }],
  keys: {
    ...KEY_READING,
    advice:
      'Send your API key as the password of http-basic for this host in auth.json, or in the header "PSKey: <key>".',
  },
  routes,
  renderError,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: composerError },
};
