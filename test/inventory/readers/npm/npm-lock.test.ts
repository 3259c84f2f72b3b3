import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNpmLock } from '../../../../src/inventory/readers/npm/npm-lock.ts';
import { declarationOf } from '../../../support/console/inventory-rows.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';
import { phrases, words } from '../../../support/words.ts';

/** Of version 3, of a workspace with all kinds of dependencies. */
const TABLE = {
  lockfileVersion: 3,
  packages: {
    '': {
      name: 'shop',
      version: '1.0.0',
      workspaces: ['packages/*'],
      dependencies: { tar: '^6.0.0', 'tar-old': 'npm:tar@^4.0.0', helper: 'github:a/helper' },
    },
    'node_modules/tar': { version: '6.1.0', resolved: 'https://registry.example/tar/-/tar-6.1.0.tgz' },
    'node_modules/tar-old': { name: 'tar', version: '4.4.0' },
    'node_modules/helper': { version: '1.0.0', resolved: 'git+ssh://git@github.com/a/helper.git#0123abc' },
    'node_modules/inner/node_modules/tar': { version: '6.1.0' },
    'node_modules/@scope/inner': { version: '2.0.0-rc.1+build' },
    'node_modules/web': { resolved: 'packages/web', link: true },
    'packages/web': {
      name: 'web',
      version: '0.0.0',
      devDependencies: { '@scope/inner': '^2.0.0', own: '1' },
    },
    'packages/web/node_modules/own': { version: '1.0.0' },
    'node_modules/own': { version: '2.0.0' },
    'node_modules/__proto__': { version: '1.0.0' },
    'node_modules/constructor': { version: '1.0.0' },
    'node_modules/broken': {},
  },
};

test('a table of packages gives names, versions and what is direct', () => {
  const inventory = readNpmLock(JSON.parse(JSON.stringify(TABLE)));
  assert.equal(inventory.format, 'package-lock.json, version 3');
  assert.deepEqual(
    packagesOf(inventory),
    words(`
      tar@6.1.0* tar@4.4.0* @scope/inner@2.0.0-rc.1+build* own@1.0.0* own@2.0.0 __proto__@1.0.0
      constructor@1.0.0
    `),
  );
  assert.deepEqual(
    notesOf(inventory),
    phrases(`
      a git repository: 1 | a link to a folder: 1 | a package of the workspace itself: 1 | no version: 1
    `),
  );
});

test('equal packages are one, with their places and the names under which they are declared', () => {
  const { packages } = readNpmLock(TABLE);
  assert.deepEqual(packages[0].places, ['node_modules/tar', 'node_modules/inner/node_modules/tar']);
  assert.equal(packages[0].placeCount, 2);
  assert.deepEqual(packages[0].declarations, [declarationOf('tar')]);
  assert.deepEqual(packages[1].declarations, [declarationOf('tar-old')]);
});

test('a copy has the ranges of those that find it, and the workspaces that declare it', () => {
  const { packages } = readNpmLock({
    lockfileVersion: 3,
    packages: {
      '': { workspaces: ['apps/*'], dependencies: { kit: 'file:../kit', tar: '^6.0.0' } },
      'apps/web': { dependencies: { tar: '^4.0.0', old: '1' } },
      'apps/web/node_modules/tar': { version: '4.4.0' },
      'apps/web/node_modules/old': { version: '1.0.0', dependencies: { tar: '>=4' } },
      'node_modules/kit': { resolved: '../kit', link: true },
      '../kit': { devDependencies: { tar: '6.x' } },
      'node_modules/tar': { version: '6.1.0' },
      'node_modules/a': {
        version: '1.0.0',
        dependencies: { tar: '^6.0.0' },
        peerDependencies: { gone: '1' },
      },
      'node_modules/a/node_modules/b': { version: '1.0.0', optionalDependencies: { tar: '*' } },
    },
  });
  const tars = packages.filter(({ name }) => name === 'tar');
  assert.deepEqual(
    tars.map(({ version, ranges }) => [version, ranges]),
    [
      ['4.4.0', ['^4.0.0', '>=4']],
      ['6.1.0', ['^6.0.0', '6.x', '*']],
    ],
  );
  assert.deepEqual(
    tars.map(({ declarations }) => declarations),
    [[declarationOf('tar', 'apps/web')], [declarationOf('tar'), declarationOf('tar', '../kit', true)]],
  );
});

test('a tree of version 1 gives aliases by their real names, and leaves out what no registry has', () => {
  const inventory = readNpmLock({
    lockfileVersion: 1,
    dependencies: {
      a: { version: '1.0.0', dependencies: { b: { version: '2.0.0' } } },
      c: { version: 'npm:@scope/c@3.0.0' },
      d: { version: 'git+https://github.com/x/d.git#0123abc' },
      e: { version: 'file:../e' },
      f: { version: 'https://host.example/f.tgz' },
      g: { version: 'github:x/g#0123abc' },
    },
  });
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0?', '@scope/c@3.0.0?', 'b@2.0.0?']);
  assert.deepEqual(inventory.packages[2].places, ['a > b']);
  assert.deepEqual(notesOf(inventory), [
    'a git repository: 2',
    'a local file or folder: 1',
    'a tarball without a version: 1',
  ]);
});

test('version 2 is read from its table, not from the tree that it has for older clients', () => {
  const inventory = readNpmLock({
    lockfileVersion: 2,
    packages: { 'node_modules/a': { version: '1.0.0' } },
    dependencies: { a: { version: '1.0.0' }, b: { version: '1.0.0' } },
  });
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0']);
});

test('a tree of 10,000 levels is walked, and its places stay short', () => {
  interface Node {
    version?: string;
    dependencies?: object;
  }
  const root: Node = {};
  let level: Node = root;
  for (let i = 0; i < 10_000; i++) {
    const below: Node = { version: `1.0.${i}` };
    level.dependencies = { deep: below };
    level = below;
  }
  const { packages } = readNpmLock({ lockfileVersion: 1, ...root });
  assert.equal(packages.length, 10_000);
  assert.equal(packages[0].places[0], 'deep');
  assert.equal(packages[9_999].places[0], '… > deep > deep > deep > deep > deep > deep');
});

test('a newer version is read with a remark if its form fits, else refused by its number', () => {
  const fits = readNpmLock({ ...TABLE, lockfileVersion: 4 });
  assert.equal(fits.packages.length, 7);
  assert.match(
    fits.notes.at(-1)?.reason ?? '',
    /has version 4; it was read like version 3, the newest known/,
  );
  assert.throws(() => readNpmLock({ lockfileVersion: 4, graph: [] }), {
    name: 'Refusal',
    message: /version 4, .* Versions 1, 2 and 3 are read/,
  });
  assert.throws(() => readNpmLock({ lockfileVersion: 1, packages: { a: ['a@1.0.0', ''] } }), {
    name: 'Refusal',
  });
  assert.throws(() => readNpmLock({ lockfileVersion: { evil: 1 } }), { name: 'Refusal' });
});
