// The vulnerability database of Go as one value: for govulncheck, which reads an index of modules and fetches
// the records that may affect what it scans.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, ReadRoute, Route } from '../../http/routing/dialect.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { handleModule, handleRecord, indexFile } from './handlers.ts';
import { prepareIndex } from './index-files.ts';

const read = { kind: 'read', endpoint: 'govulndb' } as const;
const INDEX_FILES = [
  ...['index/db.json', 'index/modules.json', 'index/vulns.json'].flatMap((file) => [file, `${file}.gz`]),
  'index.json', // of 2023
];
const ANY_NUMBER = Number.POSITIVE_INFINITY;

const routes: readonly Route[] = [
  ...INDEX_FILES.map(
    (file): ReadRoute => ({
      ...read,
      pattern: `/${file}`,
      label: 'govulndb-index',
      answer: indexFile(file),
    }),
  ),
  { ...read, pattern: '/ID/{file}', label: 'govulndb-record', answer: handleRecord },
  {
    kind: 'long-read',
    endpoint: 'govulndb',
    pattern: '/{module}',
    wide: { module: () => ANY_NUMBER },
    label: 'govulndb-module',
    answer: handleModule,
  },
];

export const govulndb: Dialect = {
  name: 'govulndb',
  mounts: [{ path: '/govulndb', description: 'The vulnerability database that govulncheck reads.' }],
  keys: KEY_READING,
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
  prepare: prepareIndex,
};
