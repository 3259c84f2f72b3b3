import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameInTarball, refuseOrigin, splitAt } from '../../../../src/inventory/readers/npm/origin.ts';
import { words } from '../../../support/words.ts';

test('repositories and folders are told from registries and other tarballs', () => {
  const git = words(`
    git+ssh://git@github.com/a/b.git#0123 git@github.com:a/b.git git://github.com/a/b github:a/b a/b#main
    https://github.com/a/b.git https://github.com/a/b.git#v1 https://github.com/a/b
    https://github.com/a/b/archive/v1.tar.gz https://codeload.github.com/a/b/tar.gz/0123
    https://gitlab.com/a/b/-/archive/v1/b.tar.gz https://host.example/deep/b.git#0123
  `);
  for (const from of git) assert.equal(refuseOrigin(from), 'a git repository', from);
  assert.equal(refuseOrigin('file:../a'), 'a local file or folder');
  assert.equal(refuseOrigin('link:../a'), 'a link to a folder');
  assert.equal(refuseOrigin('portal:../a'), 'a link to a folder');
  assert.equal(refuseOrigin('workspace:.'), 'a package of the workspace itself');
  const fine = [
    '',
    ...words('1.0.0 https://registry.example/a/-/a-1.0.0.tgz https://host.example/a.tgz @scope/a'),
  ];
  for (const from of fine) assert.equal(refuseOrigin(from), undefined, from);
});

test("a registry's address of a tarball has the name", () => {
  assert.equal(nameInTarball('https://registry.example/a/-/a-1.0.0.tgz'), 'a');
  assert.equal(nameInTarball('https://registry.example/npm/@scope/a/-/a-1.0.0.tgz'), '@scope/a');
  assert.equal(nameInTarball('https://registry.example/@scope%2fa/-/a-1.0.0.tgz'), '@scope/a');
  assert.equal(nameInTarball('https://host.example/a-1.0.0.tgz'), undefined);
});

test('a scope has an @ of its own', () => {
  assert.deepEqual(splitAt('@scope/a@1.0.0'), { name: '@scope/a', rest: '1.0.0' });
  assert.deepEqual(splitAt('a@npm:b@1'), { name: 'a', rest: 'npm:b@1' });
  assert.equal(splitAt('@scope/a'), undefined);
  assert.equal(splitAt(''), undefined);
});
