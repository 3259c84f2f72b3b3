// The table of routes.

import type { Route } from '../../http/dialect.ts';
import { handlePage, handlePageIndex, handleServiceIndex, PAGE, PAGE_INDEX, SERVICE_INDEX } from './files.ts';

const read = { kind: 'read', endpoint: 'nuget' } as const;

export const routes: readonly Route[] = [
  {
    ...read,
    pattern: SERVICE_INDEX,
    label: 'nuget-service',
    answer: handleServiceIndex,
  },
  {
    ...read,
    pattern: PAGE_INDEX,
    label: 'nuget-index',
    answer: handlePageIndex,
  },
  { ...read, pattern: PAGE, label: 'nuget-page', answer: handlePage },
];
