import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../../../../src/console/inventory/exports/json.ts';
import { answeredRow } from '../../../../src/console/inventory/findings.ts';
import { packageOf, rowOf } from '../../../support/console/inventory-rows.ts';

test('packages, updates, what is not cleared and what was left out', () => {
  const text = toJson({
    fileName: '',
    format: 'yarn.lock of yarn 1',
    version: '0.1.0',
    rows: [
      rowOf(packageOf('a', '1.0.0'), '2.0.0', 9.8),
      rowOf(packageOf('b', '1.0.0'), null, 5),
      rowOf(packageOf('c', '1.0.0'), null),
      answeredRow(packageOf('d', 'x'), 3, { error: { code: 'invalid_version', message: 'no' } }),
    ],
    notes: [{ reason: 'no version', count: 2, isOpen: true, examples: ['e', 'f'] }],
  });
  const report = JSON.parse(text);
  assert.equal(report.tool, 'vulndex 0.1.0');
  assert.equal(report.file, null);
  assert.deepEqual(
    report.packages.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`),
    ['a affected', 'b affected', 'c clear', 'd failed'],
  );
  assert.deepEqual(report.packages[0].advisories[0], {
    id: 1,
    title: 'Advisory 1',
    severity: 'critical',
    score: 9.8,
    cve: 'CVE-2026-1',
    ghsa: null,
    exploited: false,
    fixed_in: '9.0.0',
    url: 'https://advisories.example/1',
  });
  assert.deepEqual(report.updates, [
    { type: 'npm', name: 'a', severity: 'critical', advisories: 1, steps: [{ from: '1.0.0', to: '2.0.0' }] },
  ]);
  assert.equal(report.not_cleared[0].name, 'b');
  assert.deepEqual(report.left_out, [{ reason: 'no version', count: 2, isOpen: true, examples: ['e', 'f'] }]);
});
