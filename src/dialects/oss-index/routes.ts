// The table of routes.

import type { Route } from '../../http/dialect.ts';
import { MAX_BODY_BYTES } from '../batch-request.ts';
import { handleReport } from './component-report.ts';

export const routes: readonly Route[] = [
  {
    kind: 'body',
    pattern: '/api/v3/component-report',
    endpoint: 'oss-index',
    label: 'oss-index-report',
    maxBodyBytes: MAX_BODY_BYTES,
    maxDecodedBytes: MAX_BODY_BYTES,
    tooLarge: `The body has at most ${MAX_BODY_BYTES} bytes, also when decoded.`,
    answer: handleReport,
  },
];
