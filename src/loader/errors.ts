// Why a snapshot is refused: a closed list of causes, and one sentence for a log.

import type { SectionName } from './format.ts';

/** Each cause with its remedy, in the order in which the loader checks: cheapest checks first. */
const REMEDIES = {
  unreadable: 'check that the file exists and that this process may read it; a server will retry',
  truncated: 'it may still be copying; otherwise fetch it again or recompile',
  'foreign-file': 'only files made by `vulndex compile` belong here',
  'unsupported-format': 'recompile it with this release, or run the release that wrote it',
  'length-mismatch': 'fetch it again or recompile',
  'too-large': 'if the size is right, start with a larger --max-snapshot-bytes',
  'built-ahead':
    'check the clock on this machine and where it was built; it is loaded once the clock here catches up',
  'bad-layout': 'fetch it again or recompile',
  'checksum-mismatch': 'fetch it again or recompile',
  'scheme-revision': 'recompile with this release',
  'bad-index': 'recompile; if this happens again, report it',
  unsorted: 'recompile; if this happens again, report it',
  'bad-record': 'recompile; if this happens again, report it',
  shrunk: 'if this is intended, accept it by name with `vulndex snapshots accept-shrink`',
  'verdicts-changed':
    'check its sources; if this is intended, accept it by name with `vulndex snapshots accept-shrink`',
  'changed-while-read': 'move snapshots into place with a rename; a server will retry',
} as const;

export type SnapshotErrorCode = keyof typeof REMEDIES;
// Exactly the literal's keys.
export const SNAPSHOT_ERROR_CODES = Object.keys(REMEDIES) as readonly SnapshotErrorCode[];

export interface SnapshotFault {
  readonly code: SnapshotErrorCode;
  /** A section, one column of the index, or the header. */
  readonly section: SectionName | 'header' | 'file' | `index.${string}`;
  /**
   * Where it was found: byte of the file for `file` and `header`, byte of the section, or element of the
   * column.
   */
  readonly offset: number;
  readonly expected: string;
  readonly got: string;
  /** What to do about this file, if that is more specific than the remedy of the code. */
  readonly remedy?: string;
}

export class SnapshotError extends Error implements SnapshotFault {
  override readonly name = 'SnapshotError';
  readonly code: SnapshotErrorCode;
  readonly section: SnapshotFault['section'];
  readonly offset: number;
  readonly expected: string;
  readonly got: string;

  constructor(fault: SnapshotFault) {
    const unit = fault.section.startsWith('index.') ? 'element' : 'byte';
    super(
      `snapshot rejected: ${fault.code} in "${fault.section}" at ${unit} ${fault.offset} ` +
        `(expected ${fault.expected}, got ${fault.got}); ${fault.remedy ?? REMEDIES[fault.code]}`,
    );
    this.code = fault.code;
    this.section = fault.section;
    this.offset = fault.offset;
    this.expected = fault.expected;
    this.got = fault.got;
  }
}
