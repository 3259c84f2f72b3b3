// The kinds of sources. To add one, add a value here. What reads them is imported when a source is opened.

import type { FileKind, ServerKind, SourceKind } from './source-kind.ts';

export const osv: FileKind = {
  form: 'files',
  name: 'osv',
  argument: '<path...>',
  help: 'OSV records: a folder, a file (one record, NDJSON or a JSON list, gzipped or not), or an export zip',
  open: async (path, { kept, informational }) =>
    (await import('./osv/osv.ts')).openOsv(path, kept, { informational: informational ?? 'skip' }),
};

export const wordfence: FileKind = {
  form: 'files',
  name: 'wordfence',
  argument: '<file...>',
  help: 'Wordfence Intelligence vulnerability feed, version 3',
  open: async (path, { kept }) => (await import('./wordfence/wordfence.ts')).openWordfence(path, kept),
};

export const mirror: ServerKind = {
  form: 'server',
  name: 'mirror',
  argument: '<url...>',
  help: 'a server of this API, whose advisories are copied',
  open: async (options) => (await import('./mirror/mirror.ts')).openMirror(options),
  copy: async (options, onProgress) => (await import('./mirror/mirror.ts')).copyMirror(options, onProgress),
};

export const feed: FileKind = {
  form: 'files',
  name: 'feed',
  argument: '<file...>',
  help: 'feed files: NDJSON, plain or gzip; - for standard input',
  open: async (path, options) => (await import('./feed/open-feed.ts')).openFeed(path, options),
};

/** In the order in which options and messages list them. */
export const SOURCE_KINDS: readonly SourceKind[] = [osv, wordfence, mirror, feed];

export const SERVER_KINDS: readonly ServerKind[] = SOURCE_KINDS.filter((kind) => kind.form === 'server');
