// A repository of Composer that has advisories and no packages, as one value.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, Route } from '../../http/routing/dialect.ts';
import { handleAdvisories, handleAdvisoriesOf } from './advisories.ts';
import { handleFilter } from './filter.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from './limits.ts';
import { ADVISORIES, FILTER, handlePackagesFile, PACKAGES_FILE } from './packages-file.ts';
import { composerError, renderError } from './problems.ts';

const body = {
  kind: 'body',
  endpoint: 'composer',
  maxBodyBytes: MAX_BODY_BYTES,
  maxDecodedBytes: MAX_BODY_BYTES,
  tooLarge: TOO_LARGE_BODY,
  mayEndInSlash: true,
} as const;

const routes: readonly Route[] = [
  {
    kind: 'read',
    pattern: PACKAGES_FILE,
    endpoint: 'composer',
    label: 'composer-packages',
    answer: handlePackagesFile,
  },
  { ...body, pattern: ADVISORIES, label: 'composer-advisories', answer: handleAdvisories },
  {
    kind: 'long-read',
    pattern: ADVISORIES,
    endpoint: 'composer',
    label: 'composer-advisories',
    mayEndInSlash: true,
    answer: handleAdvisoriesOf,
  },
  { ...body, pattern: FILTER, label: 'composer-filter', answer: handleFilter },
];

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
