// The table of routes: the layout of Go's vulnerability database, and beside it that of 2023.

import type { ReadRoute, Route } from '../../http/dialect.ts';
import { handleModule, handleRecord, indexFile } from './handlers.ts';
import * as operations from './openapi.ts';

const read = { kind: 'read', endpoint: 'govulndb' } as const;
const ANY_NUMBER = Number.POSITIVE_INFINITY;

export const routes: readonly Route[] = [
  ...operations.INDEX_FILES.map(
    ({ file, operation }): ReadRoute => ({
      ...read,
      pattern: `/${file}`,
      label: 'govulndb-index',
      answer: indexFile(file),
      operation,
    }),
  ),
  {
    ...read,
    pattern: '/ID/{file}',
    label: 'govulndb-record',
    answer: handleRecord,
    operation: operations.getRecord,
  },
  {
    kind: 'long-read',
    endpoint: 'govulndb',
    pattern: '/{module}',
    wide: { module: () => ANY_NUMBER },
    label: 'govulndb-module',
    answer: handleModule,
    operation: operations.getModule,
  },
];
