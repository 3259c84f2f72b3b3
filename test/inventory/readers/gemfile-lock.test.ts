import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeGemfileLock, readGemfileLock } from '../../../src/inventory/readers/gemfile-lock.ts';
import { notesOf, packagesOf } from '../../support/console/inventory-summary.ts';

// The form is documented in https://bundler.io/guides/ and by the lockfile parser of Bundler.
const LOCK = `GIT
  remote: https://github.com/shop/forked.git
  revision: 0123abc
  specs:
    forked (1.0.0)
      rack (>= 2)

PATH
  remote: engines/own
  specs:
    own (0.1.0)

GEM
  remote: https://rubygems.org/
  specs:
    nokogiri (1.13.6-x86_64-linux)
      racc (~> 1.4)
    racc (1.6.0)
    rack (2.2.3)
    rails (7.0.0.rc1)

PLATFORMS
  x86_64-linux

DEPENDENCIES
  forked!
  nokogiri
  own!
  rails (~> 7.0.a)

CHECKSUMS
  rack (2.2.3) sha256=0a

BUNDLED WITH
   2.3.7
`;

test('gems are read once, without their platform; those of other places are named', () => {
  assert.ok(looksLikeGemfileLock(LOCK));
  const inventory = readGemfileLock(LOCK.replaceAll('\n', '\r\n'));
  assert.deepEqual(packagesOf(inventory), [
    'gem nokogiri@1.13.6*',
    'gem racc@1.6.0',
    'gem rack@2.2.3',
    'gem rails@7.0.0.rc1*',
  ]);
  assert.deepEqual(notesOf(inventory), ['a git repository: 1', 'a local file or folder: 1']);
});

test('nothing says which of several remotes a gem is from, so none is asked about', () => {
  const inventory = readGemfileLock(
    'GEM\n  remote: https://rubygems.org/\n  remote: https://gems.example.com/\n  specs:\n    rack (2.2.3)\n',
  );
  assert.deepEqual(packagesOf(inventory), []);
  assert.deepEqual(notesOf(inventory), ['a package of the registry gems.example.com: 1']);
});
