// The web pages at the root: the console and the page of the API, as files that their owner passes in.

import type { StaticFiles } from '../http/replies/static-files.ts';
import { type Dialect, SERVICE_NAME } from '../http/routing/dialect.ts';
import { patchstack } from './patchstack/patchstack.ts';

/** Their files. Plain data, which can be posted to a thread. */
export interface Pages {
  readonly console: StaticFiles;
  readonly docs: StaticFiles;
  /** Why there are none, for whoever asks for them; undefined if there are. */
  readonly absence: string | undefined;
}

/** For whoever asks only which paths the pages would have. */
export const NO_PAGES: Pages = { console: new Map(), docs: new Map(), absence: undefined };

/** Errors have the contract's shape, as those of all routes of the service itself. */
export function pageRoutes({ console, docs, absence }: Pages): Dialect {
  const { keys, renderError } = patchstack;
  return {
    name: SERVICE_NAME,
    mounts: [{ path: '', description: 'The service’s own root.' }],
    keys,
    renderError,
    routes: [
      {
        kind: 'files',
        pattern: '/console',
        label: 'console',
        files: console,
        isFolder: true,
        isHome: true,
        absence,
      },
      { kind: 'files', pattern: '/docs', label: 'docs', files: docs, isFolder: true, absence },
    ],
  };
}
