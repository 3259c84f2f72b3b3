// npm's audit protocol, as one value: at the root, and below `/npm`, where the whole namespace is npm's and a registry may
// stand behind this server (upstream.ts).

import type { Dialect } from '../../http/dialect.ts';
import { keys } from './keys.ts';
import { MOUNTS } from './mounts.ts';
import { openApi } from './openapi.ts';
import { renderError } from './problems.ts';
import { routes } from './routes.ts';

export const npmAudit: Dialect = {
  name: 'npm-audit',
  mounts: MOUNTS,
  keys,
  routes,
  renderError,
  openApi,
};
