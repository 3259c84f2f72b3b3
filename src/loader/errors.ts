// Why a snapshot is not served: one closed list of causes, one sentence for a log.

import type { SectionName } from './format.ts';

/** Each cause with what to do about it, in the order in which the loader checks: cheap before dear. */
const REMEDIES = {
  unreadable: 'check that the file exists and that this process may read it; it is tried again',
  truncated: 'it may still be copied; else fetch it again or recompile',
  'foreign-file': 'only files made by `vulndex compile` belong here',
  'unsupported-format': 'recompile with this release, or run the release that wrote it',
  'length-mismatch': 'fetch it again or recompile',
  'too-large': 'if it is meant, start with a larger --max-snapshot-bytes',
  'built-ahead':
    'check the clock here and where it was built; it is taken once the clock here has got that far',
  'bad-layout': 'fetch it again or recompile',
  'checksum-mismatch': 'fetch it again or recompile',
  'scheme-revision': 'recompile with this release',
  'bad-index': 'recompile; if it comes back, report it',
  unsorted: 'recompile; if it comes back, report it',
  'bad-record': 'recompile; if it comes back, report it',
  shrunk: 'if it is meant, accept it by name with `vulndex snapshots accept-shrink`',
  'changed-while-read': 'put snapshots in place by a rename; it is looked at again',
} as const;

export type SnapshotErrorCode = keyof typeof REMEDIES;
export const SNAPSHOT_ERROR_CODES = Object.keys(REMEDIES) as readonly SnapshotErrorCode[]; // exactly the literal's keys

export interface SnapshotFault {
  readonly code: SnapshotErrorCode;
  /** A section, one column of the index, or the header. */
  readonly section: SectionName | 'header' | 'file' | `index.${string}`;
  /** Where it was seen: byte of the file for `file` and `header`, byte of the section, or element of the column. */
  readonly offset: number;
  readonly expected: string;
  readonly got: string;
  /** What to do about this file, where that is more than the code alone can say. */
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
