// The table of routes: each path once, with its label, its handler and its operation.

import type { Route } from '../../http/dialect.ts';
import { handlerFor, handleWordpress } from './handlers.ts';
import * as operations from './openapi.ts';

const ENDPOINT = 'wpscan';

export const routes: readonly Route[] = [
  {
    kind: 'read',
    pattern: '/api/v3/plugins/{slug}',
    endpoint: ENDPOINT,
    label: 'wpscan-plugin',
    answer: handlerFor('plugin'),
    operation: operations.getPlugin,
  },
  {
    kind: 'read',
    pattern: '/api/v3/themes/{slug}',
    endpoint: ENDPOINT,
    label: 'wpscan-theme',
    answer: handlerFor('theme'),
    operation: operations.getTheme,
  },
  {
    kind: 'read',
    pattern: '/api/v3/wordpresses/{version}',
    endpoint: ENDPOINT,
    label: 'wpscan-wordpress',
    answer: handleWordpress,
    operation: operations.getWordpress,
  },
];
