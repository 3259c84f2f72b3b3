// The table of routes: each path once, with its label and its handler.

import type { ReadRoute, Route } from '../../http/dialect.ts';
import { handlerFor, handleWordpress } from './handlers.ts';

function read(below: string, label: string, answer: ReadRoute['answer']): ReadRoute {
  return { kind: 'read', pattern: `/api/v3/${below}`, endpoint: 'wpscan', label, answer };
}

export const routes: readonly Route[] = [
  {
    ...read('plugins/{slug}', 'wpscan-plugin', handlerFor('plugin')),
  },
  {
    ...read('themes/{slug}', 'wpscan-theme', handlerFor('theme')),
  },
  {
    ...read('wordpresses/{version}', 'wpscan-wordpress', handleWordpress),
  },
];
