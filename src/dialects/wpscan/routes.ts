// The table of routes: each path once, with its label, its handler and its operation.

import type { ReadRoute, Route } from '../../http/dialect.ts';
import type { Operation } from '../../http/openapi/model.ts';
import { handlerFor, handleWordpress } from './handlers.ts';
import * as operations from './openapi.ts';

function read(below: string, label: string, answer: ReadRoute['answer'], operation: Operation): ReadRoute {
  return { kind: 'read', pattern: `/api/v3/${below}`, endpoint: 'wpscan', label, answer, operation };
}

export const routes: readonly Route[] = [
  {
    ...read('plugins/{slug}', 'wpscan-plugin', handlerFor('plugin'), operations.getPlugin),
  },
  {
    ...read('themes/{slug}', 'wpscan-theme', handlerFor('theme'), operations.getTheme),
  },
  {
    ...read('wordpresses/{version}', 'wpscan-wordpress', handleWordpress, operations.getWordpress),
  },
];
