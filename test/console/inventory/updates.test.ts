import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredRow, waitingRow } from '../../../src/console/inventory/findings.ts';
import { planUpdates } from '../../../src/console/inventory/updates.ts';
import { advisoryOf, packageOf, rowOf } from '../../support/console/inventory-rows.ts';
import { pluck } from '../../support/pluck.ts';

test('a product is one line, with a step for each installed version, the worst removed first', () => {
  const { updates, stuck } = planUpdates([
    rowOf(packageOf('mild', '1'), '2', 5, 5, 5),
    rowOf(packageOf('twice', '1.0.0'), '1.0.5', 5),
    rowOf(packageOf('twice', '2.0.0'), '2.1.0', 9.8, 5),
    rowOf(packageOf('clear', '1'), null),
    rowOf(packageOf('many', '1'), '2', 9.8, 9, 9),
    waitingRow(packageOf('waiting', '1'), 0),
  ]);
  assert.deepEqual(
    updates.map(({ name, severity, advisoryCount, steps }) => [
      name,
      severity,
      advisoryCount,
      steps.map(({ pack, to }) => `${pack.version} → ${to}`).join(),
    ]),
    [
      ['many', 'critical', 3, '1 → 2'],
      ['twice', 'critical', 2, '1.0.0 → 1.0.5,2.0.0 → 2.1.0'],
      ['mild', 'medium', 3, '1 → 2'],
    ],
  );
  assert.deepEqual(stuck, []);
});

test('a plugin and a package of the same name are two products', () => {
  const { updates } = planUpdates([
    rowOf(packageOf('a', '1'), '2', 5),
    rowOf(packageOf('a', '1', { type: 'plugin' }), '3', 5),
  ]);
  assert.equal(updates.length, 2);
});

test('no version of a malicious package is installed, but one after a malicious release is', () => {
  const malwareFrom = (name: string, from_version: string | null) =>
    answeredRow(packageOf(name, '1'), 0, {
      vulnerabilities: [
        advisoryOf(1, 9, { vuln_type: 'Malicious Package', matched_range: { from_version } }),
      ],
      update_to: '2',
    });
  const { updates, stuck } = planUpdates([malwareFrom('fake', null), malwareFrom('hijacked', '1')]);
  assert.deepEqual(pluck(updates, 'name'), ['hijacked']);
  assert.deepEqual(
    stuck.map(({ pack, reason }) => `${pack.name}: ${reason}`),
    ['fake: malware: remove it'],
  );
});

test('what cannot be cleared is listed with the reason, the worst first', () => {
  const fixed = (id: number, version: string | null) =>
    advisoryOf(id, id === 1 ? 9 : 5, { version_info: { fixed: version } });
  const stuckRow = (name: string, ...fixes: (string | null)[]) =>
    answeredRow(packageOf(name, '1'), 0, {
      vulnerabilities: fixes.map((version, i) => fixed(name === 'a' ? i + 2 : i + 1, version)),
      update_to: null,
    });
  const { updates, stuck } = planUpdates([
    stuckRow('a', null),
    stuckRow('b', null, null),
    stuckRow('c', '2', null),
    stuckRow('d', '2', '3'),
  ]);
  assert.deepEqual(updates, []);
  assert.deepEqual(
    stuck.map(({ pack, reason }) => `${pack.name}: ${reason}`),
    [
      'b: no fixed version is known for any of them',
      'c: no fixed version is known for 1 of 2 advisories',
      'd: each version that fixes one advisory is affected by another',
      'a: no fixed version is known',
    ],
  );
});
