import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readYarnBerry } from '../../../../src/inventory/readers/npm/yarn-berry.ts';
import { parseYaml } from '../../../../src/inventory/yaml.ts';
import { declarationOf } from '../../../support/console/inventory-rows.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';
import { pluck } from '../../../support/pluck.ts';

const read = (text: string) => readYarnBerry(parseYaml(text));

test('resolutions give names and versions; workspaces say what is direct', () => {
  const inventory = read(`__metadata:
  version: 8
  cacheKey: 10c0

"@scope/a@npm:^1.0.0, @scope/a@npm:^1.1.0":
  version: 1.1.3
  resolution: "@scope/a@npm:1.1.3"
  linkType: hard

"alias@npm:real@^2.0.0":
  version: 2.0.0
  resolution: "real@npm:2.0.0"

"patched@npm:^1.0.0":
  version: 1.10.0
  resolution: "patched@npm:1.10.0"

"patched@patch:patched@npm%3A^1.0.0#~/.yarn/patches/p.patch":
  version: 1.10.0
  resolution: "patched@patch:patched@npm%3A1.10.0#~/.yarn/patches/p.patch::version=1.10.0&hash=0123"

"helper@https://github.com/x/helper.git#main":
  version: 1.0.0
  resolution: "helper@https://github.com/x/helper.git#commit=0123"

"linked@portal:../linked::locator=shop%40workspace%3A.":
  version: 0.0.0-use.local
  resolution: "linked@portal:../linked::locator=shop%40workspace%3A."

"shop@workspace:.":
  version: 0.0.0-use.local
  resolution: "shop@workspace:."
  dependencies:
    "@scope/a": "npm:^1.1.0"
    alias: "npm:real@^2.0.0"
    patched: ^1.0.0
  linkType: soft
`);
  assert.equal(inventory.format, 'yarn.lock, version 8');
  assert.deepEqual(packagesOf(inventory), ['@scope/a@1.1.3*', 'real@2.0.0*', 'patched@1.10.0*']);
  assert.deepEqual(inventory.packages[1].declarations, [declarationOf('alias')]);
  assert.deepEqual(pluck(inventory.packages, 'ranges'), [
    ['npm:^1.0.0', 'npm:^1.1.0'],
    ['npm:real@^2.0.0'],
    ['npm:^1.0.0', 'patch:patched@npm%3A^1.0.0#~/.yarn/patches/p.patch'],
  ]);
  assert.deepEqual(notesOf(inventory), [
    'a git repository: 1',
    'a link to a folder: 1',
    'a package of the workspace itself: 1',
  ]);
});

test('a newer version is read with a remark, one without a version is refused', () => {
  assert.match(
    notesOf(read('__metadata:\n  version: 99\n'))[0],
    /has version 99; it was read like version 8/,
  );
  assert.throws(() => read('__metadata: {}\n'), {
    name: 'Refusal',
    message: /version in its __metadata is missing/,
  });
});

test('an entry of another form is left out', () => {
  const inventory = read('__metadata:\n  version: 8\n"a@npm:1":\n  - list\n"b@npm:1": text\n');
  assert.deepEqual(notesOf(inventory), ['no resolution: 2']);
});
