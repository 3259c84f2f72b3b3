// What a balancer and an operator ask of any server: health, readiness and the OpenAPI document, at the root.
// They are the contract's open routes; this dialect has them where the contract is off, or moved away from
// the root.

import { type Dialect, SERVICE_NAME } from '../http/routing/dialect.ts';
import { patchstack } from './patchstack/patchstack.ts';

const { prepare: _, ...contract } = patchstack; // files come from the data
const description = 'The paths of the service itself need no key.';

export const serviceRoutes: Dialect = {
  ...contract,
  name: SERVICE_NAME,
  mounts: [{ path: '', description: 'The service’s own root.' }],
  routes: patchstack.routes.filter(({ kind }) => kind === 'open'),
  openApi: {
    ...patchstack.openApi,
    describe: () => ({ ...patchstack.openApi.describe(), info: { description } }),
  },
};
