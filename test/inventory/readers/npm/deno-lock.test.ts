import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDenoLock, readDenoLock } from '../../../../src/inventory/readers/npm/deno-lock.ts';
import { declarationOf } from '../../../support/console/inventory-rows.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';
import { words } from '../../../support/words.ts';

test('npm packages of a project are read, with who declares them', () => {
  const inventory = readDenoLock({
    version: '5',
    specifiers: {
      'jsr:@std/path@1': '1.0.8',
      'npm:@scope/a@^1.1.0': '1.1.3_react@18.2.0',
      'npm:semver@7': '7.8.6',
      'npm:semver@5.7.1': '5.7.1',
    },
    jsr: { '@std/path@1.0.8': { integrity: '0' } },
    npm: {
      '@scope/a@1.1.3_react@18.2.0': { integrity: 'sha512-x==', dependencies: ['react', 'semver@7.8.6'] },
      'react@18.2.0': { integrity: 'sha512-x==' },
      'semver@5.7.1': { integrity: 'sha512-x==' },
      'semver@7.8.6': { integrity: 'sha512-x==' },
    },
    remote: { 'https://deno.land/std/path.ts': '0' },
    workspace: {
      dependencies: ['jsr:@std/path@1', 'npm:semver@7'],
      packageJson: { dependencies: ['npm:@scope/a@^1.1.0'] },
      members: { 'packages/web': { packageJson: { dependencies: ['npm:semver@5.7.1', 'npm:semver@7'] } } },
    },
  });
  assert.equal(inventory.format, 'deno.lock, version 5');
  assert.equal(inventory.updater, 'deno');
  assert.deepEqual(packagesOf(inventory), words('@scope/a@1.1.3* react@18.2.0 semver@5.7.1* semver@7.8.6*'));
  assert.deepEqual(inventory.packages[3].declarations, [
    declarationOf('semver'),
    declarationOf('semver', 'packages/web'),
  ]);
  assert.deepEqual(notesOf(inventory), ['a package of JSR: 1', 'a module of a web site: 1']);
});

test('version 3 has its tables in `packages`; without a project nothing is said about what is direct', () => {
  const inventory = readDenoLock({
    version: '3',
    packages: {
      specifiers: { 'npm:a@^1.0.0': 'npm:a@1.0.0' },
      npm: { 'a@1.0.0': {}, 'b@2.0.0_a@1.0.0': {} },
    },
  });
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0?', 'b@2.0.0?']);
  const project = readDenoLock({
    version: '3',
    packages: { specifiers: { 'npm:a@^1.0.0': 'npm:a@1.0.0' }, npm: { 'a@1.0.0': {} } },
    workspace: { dependencies: ['npm:a@^1.0.0', 'npm:gone@1'] },
  });
  assert.deepEqual(packagesOf(project), ['a@1.0.0*']);
});

test('a newer version is read with a remark if its form fits, others are refused by their number', () => {
  const newer = readDenoLock({ version: '6', npm: { 'a@1.0.0': {} } });
  assert.match(notesOf(newer)[0], /has version 6; it was read like version 5, the newest known/);
  for (const lock of [
    { version: '2', npm: { specifiers: {}, packages: {} } },
    { version: '6', npm: { a: {} } },
  ]) {
    assert.throws(() => readDenoLock(lock), { name: 'Refusal', message: /Versions 3 to 5 are read/ });
  }
});

test('a deno.lock is known by its members, and nothing else is taken for one', () => {
  assert.equal(isDenoLock({ version: '5', remote: {} }), true);
  assert.equal(isDenoLock({ version: '3', packages: { npm: {} } }), true);
  assert.equal(isDenoLock({ version: '1.0.0', name: 'x' }), false);
  assert.equal(isDenoLock({ version: 5, npm: {} }), false);
});
