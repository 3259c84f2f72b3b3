import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportName } from '../../../../src/console/inventory/exports/report.ts';

test('a file is named after the inventory, without what file systems do not take', () => {
  assert.equal(exportName('package-lock.json', 'csv'), 'vulndex-package-lock.json.csv');
  assert.equal(exportName('', 'json'), 'vulndex-inventory.json');
  assert.equal(exportName('../..\\<b>:"x"?', 'csv'), 'vulndex-b-x.csv');
  assert.ok(exportName('x'.repeat(300), 'csv').length < 100);
});
