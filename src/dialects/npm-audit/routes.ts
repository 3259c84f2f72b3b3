// The table of routes.

import type { Route } from '../../http/dialect.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from './body.ts';
import { handleBulk } from './bulk.ts';
import { handleQuick } from './quick.ts';

const SECURITY = '/-/npm/v1/security';

const shared = {
  kind: 'body',
  endpoint: 'npm-audit',
  maxBodyBytes: MAX_BODY_BYTES,
  maxDecodedBytes: MAX_BODY_BYTES,
  tooLarge: TOO_LARGE_BODY,
} as const;

export const routes: readonly Route[] = [
  {
    ...shared,
    pattern: `${SECURITY}/advisories/bulk`,
    label: 'npm-bulk',
    answer: handleBulk,
  },
  {
    ...shared,
    pattern: `${SECURITY}/audits/quick`,
    label: 'npm-quick',
    answer: handleQuick,
  },
  {
    ...shared,
    pattern: `${SECURITY}/audits`,
    label: 'npm-full',
    answer: handleQuick,
  },
];
