// The API of osv.dev and the files of its bucket, as one value, so that OSV clients and mirrors work with
// this server.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { Dialect } from '../../http/dialect.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { HELD_ECOSYSTEMS } from './ecosystems.ts';
import { prepareBucket } from './files.ts';
import { grpcError, renderError } from './problems.ts';
import { routes } from './routes.ts';

export const osv: Dialect = {
  name: 'osv',
  mounts: [{ path: '/osv', description: 'The API of osv.dev, and the files of its bucket.' }],
  keys: KEY_READING,
  routes,
  renderError,
  openApi: {
    describe: describedIn(new URL('./openapi.json', import.meta.url)),
    errors: grpcError,
    words: { OsvEcosystem: HELD_ECOSYSTEMS },
  },
  prepare: prepareBucket,
};
