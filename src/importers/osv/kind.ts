// OSV records as a kind of source. What reads them is imported when a source is opened.

import type { FileKind } from '../source-kind.ts';

export const osv: FileKind = {
  form: 'files',
  name: 'osv',
  argument: '<path...>',
  help: 'OSV records: a folder, a file (one record, NDJSON or a JSON list, gzipped or not), or an export zip',
  open: async (path, { kept, informational }) =>
    (await import('./osv.ts')).openOsv(path, kept, { informational: informational ?? 'skip' }),
};
