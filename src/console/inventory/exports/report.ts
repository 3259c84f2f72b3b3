// What the exports share: the rows with where they come from, and the words for a row's state.

import type { Note } from '../../../inventory/inventory.ts';
import type { Row } from '../findings.ts';

export interface Report {
  /** The pasted file's name; '' for a text that was pasted. */
  readonly fileName: string;
  readonly format: string;
  /** The server's version. */
  readonly version: string;
  readonly rows: readonly Row[];
  readonly notes: readonly Note[];
}

export const STATES: Readonly<Record<Row['kind'], string>> = {
  waiting: 'not asked',
  failed: 'failed',
  clear: 'clear',
  affected: 'affected',
};

/** A name for the file, without what file systems do not take. */
export function exportName(fileName: string, extension: string): string {
  const stem = fileName
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60);
  return `vulndex-${stem === '' ? 'inventory' : stem}.${extension}`;
}
