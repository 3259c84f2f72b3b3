import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answeredRow,
  countRows,
  cveName,
  filterRows,
  isOpen,
  type Row,
  sortRows,
  waitingRow,
} from '../../../src/console/inventory/findings.ts';
import { advisoryOf, packageOf, rowOf } from '../../support/console/inventory-rows.ts';
import { pluck } from '../../support/pluck.ts';
import { phrases } from '../../support/words.ts';

const names = (rows: readonly Row[]): string[] => rows.map(({ pack }) => `${pack.name} ${pack.version}`);
const failed = (code: string): Row =>
  answeredRow(packageOf('failed', '1'), 9, { error: { code, message: 'why' } });

const ROWS: readonly Row[] = [
  rowOf(packageOf('clear', '1'), null),
  rowOf(packageOf('medium', '1'), '2', 5),
  rowOf(packageOf('worst', '2'), null, 9.8, 4),
  waitingRow(packageOf('waiting', '1'), 3),
  rowOf(packageOf('worst', '1'), '3', 9.8),
  failed('invalid_version'),
];

test('an answer becomes a row, with the worst advisory first', () => {
  const row = answeredRow(packageOf('a', '1'), 0, {
    vulnerabilities: [
      advisoryOf(1, 5),
      advisoryOf(2, null),
      advisoryOf(3, 9.1),
      advisoryOf(4, 9.9),
      advisoryOf(5, 0),
    ],
    update_to: '2',
  });
  assert.ok(row.kind === 'affected');
  assert.deepEqual(pluck(row.advisories, 'id'), [4, 3, 1, 2, 5]);
  assert.equal(row.severity, 'critical');
  assert.equal(row.updateTo, '2');
  assert.equal(answeredRow(packageOf('a', '1'), 0, { vulnerabilities: [] }).kind, 'clear');
});

test('an answer of another form is a failure, never "clear"', () => {
  assert.equal(answeredRow(packageOf('a', '1'), 0, {}).kind, 'failed');
});

test('rows are sorted by severity, by fix and by name', () => {
  assert.deepEqual(
    names(sortRows(ROWS, 'severity')),
    phrases('worst 2 | worst 1 | medium 1 | failed 1 | waiting 1 | clear 1'),
  );
  assert.deepEqual(names(sortRows(ROWS, 'fix')).slice(0, 3), ['worst 1', 'medium 1', 'worst 2']);
  assert.deepEqual(
    names(sortRows(ROWS, 'name')),
    phrases('clear 1 | failed 1 | medium 1 | waiting 1 | worst 1 | worst 2'),
  );
});

test('a text selects by name, version, title and id', () => {
  assert.deepEqual(names(filterRows(ROWS, ' WORST ', false)), ['worst 2', 'worst 1']);
  assert.deepEqual(names(filterRows(ROWS, 'cve-2026-2', false)), ['worst 2']);
  assert.deepEqual(names(filterRows(ROWS, 'advisory 1', false)), ['medium 1', 'worst 2', 'worst 1']);
  assert.deepEqual(names(filterRows(ROWS, '', true)), ['medium 1', 'worst 2', 'worst 1', 'failed 1']);
});

test('counts are by state and by worst severity', () => {
  assert.deepEqual(countRows(ROWS), {
    waiting: 1,
    failed: 1,
    affected: 3,
    severities: { medium: 1, critical: 2 },
  });
});

test('asking again helps with what is waiting or failed, but not with what is not a version', () => {
  assert.deepEqual(ROWS.map(isOpen), [false, false, false, true, false, false]);
  assert.equal(isOpen(failed('batch_too_large')), true);
});

test('CVE ids have their prefix once', () => {
  assert.equal(cveName('2026-1'), 'CVE-2026-1');
  assert.equal(cveName('CVE-2026-1'), 'CVE-2026-1');
});
