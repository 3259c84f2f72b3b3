// The project's own feeds as a kind of source. What reads them is imported when a source is opened.

import type { FileKind } from '../source-kind.ts';

export const feed: FileKind = {
  form: 'files',
  name: 'feed',
  argument: '<file...>',
  help: 'feed files: NDJSON, plain or gzip; - for standard input',
  open: async (path, options) => (await import('./open-feed.ts')).openFeed(path, options),
};
