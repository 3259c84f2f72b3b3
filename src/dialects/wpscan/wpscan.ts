// WPScan's API, version 3, as one value: for WP-CLI scanners that ask about one product at a time.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, ReadRoute, Route } from '../../http/routing/dialect.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { handlerFor, handleWordpress } from './handlers.ts';

function read(below: string, label: string, answer: ReadRoute['answer']): ReadRoute {
  return { kind: 'read', pattern: `/api/v3/${below}`, endpoint: 'wpscan', label, answer };
}

const routes: readonly Route[] = [
  read('plugins/{slug}', 'wpscan-plugin', handlerFor('plugin')),
  read('themes/{slug}', 'wpscan-theme', handlerFor('theme')),
  read('wordpresses/{version}', 'wpscan-wordpress', handleWordpress),
];

export const wpscan: Dialect = {
  name: 'wpscan',
  mounts: [{ path: '/wpscan', description: 'The API that WP-CLI scanners ask.' }],
  keys: KEY_READING,
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
};
