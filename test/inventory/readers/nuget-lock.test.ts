import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNugetLock, readNugetLock } from '../../../src/inventory/readers/nuget-lock.ts';
import { notesOf, packagesOf } from '../../support/console/inventory-summary.ts';

// https://learn.microsoft.com/nuget/consume-packages/package-references-in-project-files#locking-dependencies
const LOCK = {
  version: 1,
  dependencies: {
    'net6.0': {
      'Newtonsoft.Json': { type: 'Direct', requested: '[12.0.1, )', resolved: '12.0.1', contentHash: 'x' },
      'System.Text.Json': { type: 'Transitive', resolved: '8.0.0', contentHash: 'x' },
      helper: { type: 'Project', dependencies: { 'System.Text.Json': '8.0.0' } },
    },
    'net6.0/linux-x64': {
      'System.Text.Json': { type: 'Transitive', resolved: '8.0.0', contentHash: 'x' },
    },
  },
};

test('packages of each framework are read, projects are the own', () => {
  assert.ok(isNugetLock(LOCK));
  const inventory = readNugetLock(LOCK);
  assert.deepEqual(packagesOf(inventory), ['nuget Newtonsoft.Json@12.0.1*', 'nuget System.Text.Json@8.0.0']);
  assert.deepEqual(inventory.packages[1].places, ['net6.0', 'net6.0/linux-x64']);
  assert.deepEqual(notesOf(inventory), ['a package of the workspace itself: 1']);
});

test('a tree of npm is not one', () => {
  assert.equal(isNugetLock({ version: 1, dependencies: { a: { b: { version: '1.0.0' } } } }), false);
  assert.equal(isNugetLock({ version: '1.0.0', dependencies: {} }), false);
  assert.equal(isNugetLock({ name: 'a', version: 1, dependencies: {} }), false);
});
