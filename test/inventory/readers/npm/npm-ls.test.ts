import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNpmLs } from '../../../../src/inventory/readers/npm/npm-ls.ts';
import { declarationOf } from '../../../support/console/inventory-rows.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';

test('a tree of npm gives what is installed; missing and local packages are counted', () => {
  const inventory = readNpmLs(
    [
      {
        name: 'shop',
        version: '1.0.0',
        problems: ['missing: gone@^1.0.0, required by shop@1.0.0', 'invalid: b@1.0.0'],
        dependencies: {
          a: {
            version: '1.0.0',
            resolved: 'https://registry.example/a/-/a-1.0.0.tgz',
            overridden: false,
            dependencies: { b: { version: '2.0.0', invalid: '"^3" from node_modules/a' }, opt: {} },
          },
          alias: { version: '4.0.0', resolved: 'https://registry.example/@scope%2freal/-/real-4.0.0.tgz' },
          gone: { required: '^1.0.0', missing: true, problems: ['missing'] },
          web: {
            version: '0.0.0',
            resolved: 'file:../packages/web',
            dependencies: { c: { version: '1.0.0' } },
          },
          helper: { version: '1.0.0', resolved: 'git+ssh://git@github.com/x/helper.git#0123abc' },
        },
      },
    ],
    false,
  );
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0*', '@scope/real@4.0.0*', 'c@1.0.0*', 'b@2.0.0']);
  assert.deepEqual(inventory.packages[1].declarations, [declarationOf('alias')]);
  assert.deepEqual(inventory.packages[2].declarations, [declarationOf('c', 'web')]);
  assert.deepEqual(notesOf(inventory), [
    'npm reports problems with this tree, the first being: missing: gone@^1.0.0, required by shop@1.0.0',
    'not installed: 1',
    'a local file or folder: 1',
    'a git repository: 1',
    'an optional package that is not installed: 1',
  ]);
});

test('projects of pnpm are read, with the real names of aliases', () => {
  const inventory = readNpmLs(
    [
      {
        name: 'shop',
        path: '/shop',
        dependencies: {
          a: { from: 'a', version: '1.0.0', dependencies: { b: { from: 'b', version: '2.0.0' } } },
          alias: { from: 'real', version: '1.0.0' },
          web: { from: 'web', version: 'link:../web' },
        },
        devDependencies: { c: { from: 'c', version: '3.0.0' } },
      },
    ],
    true,
  );
  assert.deepEqual(packagesOf(inventory).sort(), ['a@1.0.0*', 'b@2.0.0', 'c@3.0.0*', 'real@1.0.0*']);
  assert.equal(inventory.updater, 'pnpm');
  assert.deepEqual(notesOf(inventory), ['a link to a folder: 1']);
});

test('entries of another form are left out', () => {
  const inventory = readNpmLs([{ dependencies: { a: null, b: [], c: 'text', d: { version: 7 } } }], false);
  assert.deepEqual(packagesOf(inventory), []);
  assert.deepEqual(notesOf(inventory), ['an optional package that is not installed: 4']);
});
