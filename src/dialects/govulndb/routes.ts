// The table of routes: the layout of Go's vulnerability database, and beside it that of 2023.

import type { ReadRoute, Route } from '../../http/dialect.ts';
import { handleModule, handleRecord, indexFile } from './handlers.ts';

const read = { kind: 'read', endpoint: 'govulndb' } as const;
const INDEX_FILES = [
  ...['index/db.json', 'index/modules.json', 'index/vulns.json'].flatMap((file) => [file, `${file}.gz`]),
  'index.json', // of 2023
];
const ANY_NUMBER = Number.POSITIVE_INFINITY;

export const routes: readonly Route[] = [
  ...INDEX_FILES.map(
    (file): ReadRoute => ({
      ...read,
      pattern: `/${file}`,
      label: 'govulndb-index',
      answer: indexFile(file),
    }),
  ),
  {
    ...read,
    pattern: '/ID/{file}',
    label: 'govulndb-record',
    answer: handleRecord,
  },
  {
    kind: 'long-read',
    endpoint: 'govulndb',
    pattern: '/{module}',
    wide: { module: () => ANY_NUMBER },
    label: 'govulndb-module',
    answer: handleModule,
  },
];
