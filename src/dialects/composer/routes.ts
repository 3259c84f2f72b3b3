// The table of routes.

import type { Route } from '../../http/dialect.ts';
import { handleAdvisories, handleAdvisoriesOf } from './advisories.ts';
import { handleFilter } from './filter.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from './limits.ts';
import { ADVISORIES, FILTER, handlePackagesFile, PACKAGES_FILE } from './packages-file.ts';

const body = {
  kind: 'body',
  endpoint: 'composer',
  maxBodyBytes: MAX_BODY_BYTES,
  maxDecodedBytes: MAX_BODY_BYTES,
  tooLarge: TOO_LARGE_BODY,
  mayEndInSlash: true,
} as const;

export const routes: readonly Route[] = [
  {
    kind: 'read',
    pattern: PACKAGES_FILE,
    endpoint: 'composer',
    label: 'composer-packages',
    answer: handlePackagesFile,
  },
  {
    ...body,
    pattern: ADVISORIES,
    label: 'composer-advisories',
    answer: handleAdvisories,
  },
  {
    kind: 'long-read',
    pattern: ADVISORIES,
    endpoint: 'composer',
    label: 'composer-advisories',
    mayEndInSlash: true,
    answer: handleAdvisoriesOf,
  },
  {
    ...body,
    pattern: FILTER,
    label: 'composer-filter',
    answer: handleFilter,
  },
];
