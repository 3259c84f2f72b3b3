// Wordfence's feed as a kind of source. What reads it is imported when a source is opened.

import type { FileKind } from '../source-kind.ts';

export const wordfence: FileKind = {
  form: 'files',
  name: 'wordfence',
  argument: '<file...>',
  help: 'Wordfence Intelligence vulnerability feed, version 3',
  open: async (path, { kept }) => (await import('./wordfence.ts')).openWordfence(path, kept),
};
