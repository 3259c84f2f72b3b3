// A source of NuGet with vulnerability information and no packages, as one value: for NuGetAudit, which
// downloads all of it and decides by itself.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, Route } from '../../http/routing/dialect.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { handlePage, handlePageIndex, handleServiceIndex, PAGE, PAGE_INDEX, SERVICE_INDEX } from './files.ts';
import { preparePages } from './pages.ts';

const read = { kind: 'read', endpoint: 'nuget' } as const;

const routes: readonly Route[] = [
  { ...read, pattern: SERVICE_INDEX, label: 'nuget-service', answer: handleServiceIndex },
  { ...read, pattern: PAGE_INDEX, label: 'nuget-index', answer: handlePageIndex },
  { ...read, pattern: PAGE, label: 'nuget-page', answer: handlePage },
];

export const nuget: Dialect = {
  name: 'nuget',
  mounts: [{ path: '/nuget', description: 'An audit source for nuget.config, of vulnerabilities alone.' }],
  keys: {
    ...KEY_READING,
    advice:
      'Send your API key as the ClearTextPassword of packageSourceCredentials in nuget.config, or in the header ' +
      '"PSKey: <key>".',
    // The client sends its password only to who asks for it in this scheme.
    challenge: 'Basic realm="vulndex"',
  },
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
  prepare: preparePages,
};
