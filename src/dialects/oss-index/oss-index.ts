// The component reports of OSS Index, version 3, as one value: for Dependency-Check, auditjs, nancy and jake.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, Route } from '../../http/routing/dialect.ts';
import { MAX_BODY_BYTES } from '../batch-request.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { handleReport } from './component-report.ts';

const routes: readonly Route[] = [
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

export const ossIndex: Dialect = {
  name: 'oss-index',
  mounts: [{ path: '/oss-index', description: 'The component reports of OSS Index.' }],
  keys: {
    ...KEY_READING,
    advice:
      'Send your API key as the password or token of this client, beside any user name, or in the header ' +
      '"PSKey: <key>".',
  },
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
};
