// Servers of this API as a kind of source. What asks them is imported when a source is opened.

import type { ServerKind } from '../source-kind.ts';

export const mirror: ServerKind = {
  form: 'server',
  name: 'mirror',
  argument: '<url...>',
  help: 'a server of this API, whose advisories are copied',
  open: async (options) => (await import('./mirror.ts')).openMirror(options),
  copy: async (options, onProgress) => (await import('./mirror.ts')).copyMirror(options, onProgress),
};
