import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBunLock } from '../../../../src/inventory/readers/npm/bun-lock.ts';
import { parseYaml } from '../../../../src/inventory/yaml.ts';
import { declarationOf } from '../../../support/console/inventory-rows.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';
import { words } from '../../../support/words.ts';

const read = (text: string) => readBunLock(parseYaml(text));

/** As bun 1.4 writes it, but for the checksums. */
const LOCK = `{
  "lockfileVersion": 2,
  "configVersion": 1,
  "workspaces": { "": { "name": "shop",
      "dependencies": { "@scope/web": "workspace:*",
        "helper": "github:x/helper",
        "kit": "file:./kit",
        "semver": "^7.8.0",
      },
    },
    "packages/web": { "name": "@scope/web",
      "version": "1.0.0",
      "dependencies": { "old": "npm:semver@5.7.1",
        "semver": "5.7.1",
      },
    },
  },
  "packages": { "@scope/web": ["@scope/web@workspace:packages/web"],

    "@x/diff": ["@x/diff@2.1.0-rc.1", "", { "dependencies": { "semver": "^5.0.3" }, "bin": { "diff": "bin.js" } }, "sha512-x=="],

    "helper": ["helper@github:x/helper#0123abc", { "dependencies": { "semver": "*" } }, "x-helper-0123abc", "sha512-x=="],

    "kit": ["kit@file:kit", { "dependencies": { "@x/diff": "2.1.0-rc.1" } }],

    "old": ["semver@5.7.1", "", {}, "sha512-x=="],

    "semver": ["semver@7.8.6", "", { "bin": { "semver": "bin/semver.js" } }, "sha512-x=="],

    "@scope/web/semver": ["semver@5.7.1", "", {}, "sha512-x=="],

    "@x/diff/semver": ["semver@5.7.2", "", {}, "sha512-x=="],
  }
}
`;

test('packages have their names, versions and ranges; workspaces say what is direct', () => {
  const inventory = read(LOCK);
  assert.equal(inventory.format, 'bun.lock, version 2');
  assert.equal(inventory.updater, 'bun');
  assert.deepEqual(
    packagesOf(inventory),
    words('@x/diff@2.1.0-rc.1 semver@5.7.1* semver@7.8.6* semver@5.7.2'),
  );
  const [, old, newest, inner] = inventory.packages;
  assert.deepEqual(old.declarations, [
    declarationOf('old', 'packages/web'),
    declarationOf('semver', 'packages/web'),
  ]);
  assert.deepEqual(newest.declarations, [declarationOf('semver')]);
  assert.deepEqual(newest.ranges, ['^7.8.0', '*']);
  assert.deepEqual([inner.ranges, inner.places], [['^5.0.3'], ['node_modules/@x/diff/node_modules/semver']]);
  assert.deepEqual(notesOf(inventory), [
    'a package of the workspace itself: 1',
    'a git repository: 1',
    'a local file or folder: 1',
  ]);
});

test('a newer version is read with a remark if its form fits, else refused', () => {
  assert.match(notesOf(read(LOCK.replace('": 2', '": 9')))[0], /has version 9; it was read like version 3/);
  for (const packages of ['{ "a": {} }', '[]']) {
    assert.throws(() => read(`{ "lockfileVersion": 9, "packages": ${packages} }`), {
      name: 'Refusal',
      message: /looks like a bun.lock, but not of a form that is known/,
    });
  }
});
