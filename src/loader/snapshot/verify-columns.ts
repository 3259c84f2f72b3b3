// Checks that each column is what its row in the table of columns says: as many elements as there are things,
// starts that never decrease and end with what they divide, pointers to things that exist. verify.ts checks
// columns against each other.

import {
  type BlockSectionBytes,
  COLUMN_NAMES,
  COLUMNS,
  type ColumnFacts,
  type ColumnName,
  countThings,
  endsOf,
  type IndexColumns,
  NONE,
  RUN_COUNT,
  type Thing,
} from '../../index/columns.ts';
import { SnapshotError, type SnapshotErrorCode } from '../errors.ts';

type Counts = Readonly<Record<Thing, number>>;

export function columnFault(
  code: SnapshotErrorCode,
  column: ColumnName,
  element: number,
  expected: string,
  got: number | string,
): never {
  throw new SnapshotError({ code, section: `index.${column}`, offset: element, expected, got: String(got) });
}

/** Throws SnapshotError: rules 10 to 13 of docs/snapshot-format.md. */
export function verifyColumns(columns: IndexColumns, sectionBytes: BlockSectionBytes): void {
  verifyRunCounts(columns);
  const counts = countThings(columns, sectionBytes);
  for (const name of COLUMN_NAMES) verifyLength(columns, name, counts);
  for (const name of COLUMN_NAMES) {
    const facts: ColumnFacts = COLUMNS[name];
    if (facts.kind === 'starts') verifyStarts(columns, name, counts[facts.into]);
  }
  for (const name of COLUMN_NAMES) {
    const facts: ColumnFacts = COLUMNS[name];
    if (facts.kind === 'pointers') verifyPointers(columns, name, counts[facts.into], facts.allowsNone);
  }
}

function verifyRunCounts({ runCounts, advisoryId }: IndexColumns): void {
  if (runCounts.length !== RUN_COUNT) {
    columnFault('bad-index', 'runCounts', 0, `${RUN_COUNT} elements`, runCounts.length);
  }
  const sum = runCounts.reduce((total, count) => total + count, 0);
  if (sum !== advisoryId.length) {
    columnFault('bad-index', 'runCounts', 0, `a sum of ${advisoryId.length}`, sum);
  }
}

function verifyLength(columns: IndexColumns, name: ColumnName, counts: Counts): void {
  const facts: ColumnFacts = COLUMNS[name];
  const { length } = columns[name];
  const expected = counts[facts.of] + endsOf(name);
  if (length !== expected) columnFault('bad-index', name, 0, `${expected} elements`, length);
  if (facts.kind === 'values' && length > facts.atMost) {
    columnFault('bad-index', name, 0, `at most ${facts.atMost} elements`, length);
  }
}

function verifyStarts(columns: IndexColumns, name: ColumnName, end: number): void {
  const starts = columns[name];
  if (starts.length === 0 || starts[0] !== 0) {
    columnFault('bad-index', name, 0, '0', starts[0] ?? 'nothing');
  }
  for (let i = 1; i < starts.length; i++) {
    if (starts[i] < starts[i - 1]) {
      columnFault('unsorted', name, i, `at least ${starts[i - 1]}`, starts[i]);
    }
  }
  if (starts instanceof Float64Array) verifyWhole(name, starts);
  const last = starts.length - 1;
  if (starts[last] !== end) columnFault('bad-index', name, last, String(end), starts[last]);
}

/** NaN is neither above nor below what precedes it. */
function verifyWhole(name: ColumnName, starts: Float64Array): void {
  const at = starts.findIndex((start) => !Number.isSafeInteger(start));
  if (at >= 0) columnFault('bad-index', name, at, 'a whole number', starts[at]);
}

function verifyPointers(columns: IndexColumns, name: ColumnName, limit: number, allowsNone: boolean): void {
  const values = columns[name];
  const none = allowsNone ? NONE : limit; // no value that is allowed otherwise
  const at = values instanceof Uint32Array ? firstWide(values, limit, none) : firstFrom(values, limit);
  if (at < values.length) columnFault('bad-index', name, at, `below ${limit}`, values[at]);
}

/** Index of the first value from `limit` on that is not `none`; the length when there is none. */
function firstWide(values: Uint32Array, limit: number, none: number): number {
  let i = 0;
  while (i < values.length && (values[i] < limit || (values[i] === none && none !== limit))) i++;
  return i;
}

/** The same for other elements: V8 makes fast code of a loop that sees one kind of array. */
function firstFrom(values: Uint8Array | Float64Array, limit: number): number {
  let i = 0;
  while (i < values.length && values[i] < limit) i++;
  return i;
}
