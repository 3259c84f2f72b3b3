import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPnpmLock } from '../../../../src/inventory/readers/npm/pnpm-lock.ts';
import { parseYaml } from '../../../../src/inventory/yaml.ts';
import { declarationOf } from '../../../support/console/inventory-rows.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';
import { words } from '../../../support/words.ts';

const read = (text: string) => readPnpmLock(parseYaml(text));

test('version 5 has names and versions between slashes, and peers after an underscore', () => {
  const inventory = read(`lockfileVersion: 5.4
specifiers: {a: ^1.0.0}
dependencies:
  a: 1.0.0_react@17.0.0
  other: /real/2.0.0
devDependencies:
  '@scope/b': 3.0.0
packages:
  /a/1.0.0_react@17.0.0:
    resolution: {integrity: sha512-xx==}
  /real/2.0.0:
    dev: false
  /@scope/b/3.0.0:
    dev: true
  registry.example.org/c/4.0.0:
    dev: true
  github.com/x/d/0123456789012345678901234567890123456789:
    resolution: {tarball: https://codeload.github.com/x/d/tar.gz/0123}
    name: d
    version: 1.0.0
  file:../e:
    resolution: {directory: ../e, type: directory}
  '@host.example/f/-/f-1.2.3.tgz':
    resolution: {tarball: https://host.example/f/-/f-1.2.3.tgz}
    name: f
    version: 1.2.3
`);
  assert.equal(inventory.format, 'pnpm-lock.yaml, version 5.4');
  assert.deepEqual(packagesOf(inventory), words('a@1.0.0* real@2.0.0* @scope/b@3.0.0* c@4.0.0 f@1.2.3'));
  assert.deepEqual(inventory.packages[1].declarations, [declarationOf('other')]);
  assert.deepEqual(notesOf(inventory), ['a git repository: 1', 'a local file or folder: 1']);
});

test('version 6 has them around an @, and peers in parentheses', () => {
  const inventory = read(`lockfileVersion: '6.0'
dependencies:
  a:
    specifier: ^1.0.0
    version: 1.0.0(react@17.0.0)
  other:
    specifier: npm:@scope/real@2
    version: /@scope/real@2.0.0
packages:
  /a@1.0.0(react@17.0.0):
    dev: false
  /a@1.0.0(react@18.0.0):
    dev: false
  /@scope/real@2.0.0:
    dev: false
  ? /long@1.0.0(some@1.0.0)(peers@1.0.0)
  : dev: false
`);
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0*', '@scope/real@2.0.0*', 'long@1.0.0']);
});

test('version 9 has importers, and packages by name and version alone', () => {
  const inventory = read(`lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.0.0(b@2.0.0)
      other:
        specifier: npm:real@1
        version: real@1.0.0
      web:
        specifier: workspace:*
        version: link:packages/web
  packages/web:
    devDependencies:
      a:
        specifier: ^1.0.0
        version: 1.0.0(b@2.0.0)
packages:
  a@1.0.0:
    resolution: {integrity: sha512-xx==}
  b@2.0.0:
    resolution: {integrity: sha512-xx==}
    deprecated: |-
      Use something else: it
        has moved
  real@1.0.0: {}
  c@https://codeload.github.com/x/c/tar.gz/0123:
    resolution: {tarball: https://codeload.github.com/x/c/tar.gz/0123}
    version: 1.0.0
  d@https://host.example/d.tgz:
    resolution: {tarball: https://host.example/d.tgz}
    version: 1.5.0
  e@file:packages/e:
    resolution: {directory: packages/e, type: directory}
  f@link:../f: {}
snapshots:
  a@1.0.0(b@2.0.0): {}
`);
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0*', 'b@2.0.0', 'real@1.0.0*', 'd@1.5.0']);
  assert.deepEqual(inventory.packages[0].places, ['.', 'packages/web']);
  assert.deepEqual(notesOf(inventory), [
    'a git repository: 1',
    'a local file or folder: 1',
    'a link to a folder: 1',
  ]);
});

test("documents before the project's own are read too", () => {
  const inventory = read(`---
lockfileVersion: '9.0'
importers:
  .:
    packageManagerDependencies:
      pnpm:
        specifier: 11.0.0
        version: 11.0.0
packages:
  pnpm@11.0.0: {}
---
lockfileVersion: '9.0'
packages:
  a@1.0.0: {}
`);
  assert.deepEqual(packagesOf(inventory), ['pnpm@11.0.0*', 'a@1.0.0']);
});

test('a newer version is read with a remark if its keys fit; that and older ones are else refused by their number', () => {
  const fits = read("lockfileVersion: '10.0'\npackages:\n  a@1.0.0: {}\n");
  assert.deepEqual(packagesOf(fits), ['a@1.0.0']);
  assert.match(notesOf(fits)[0], /has version 10.0; it was read like version 9/);
  for (const text of [
    "lockfileVersion: '10.0'\npackages:\n  name-only: {}\n",
    'lockfileVersion: 3\npackages:\n  /a/1.0.0: {}\n',
    'lockfileVersion: v9\npackages: {}\n',
  ]) {
    assert.throws(
      () => read(text),
      { name: 'Refusal', message: /of version .* Versions 5 to 9 are read/ },
      text,
    );
  }
});

test('names of JavaScript objects are names', () => {
  const inventory = read(
    "lockfileVersion: '9.0'\npackages:\n  __proto__@1.0.0: {}\n  constructor@1.0.0: {}\n",
  );
  assert.deepEqual(packagesOf(inventory), ['__proto__@1.0.0', 'constructor@1.0.0']);
});
