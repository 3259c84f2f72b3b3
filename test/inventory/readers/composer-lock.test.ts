import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isComposerLock, readComposerLock } from '../../../src/inventory/readers/composer-lock.ts';
import { notesOf, packagesOf } from '../../support/console/inventory-summary.ts';

// In the form of Composer's own composer.lock: https://github.com/composer/composer/blob/main/composer.lock
const git = (url: string): object => ({ type: 'git', url, reference: '0123abc' });
const zip = (url: string): object => ({ type: 'zip', url, reference: '0123abc', shasum: '' });
const PUBLIC = {
  source: git('https://github.com/a/b.git'),
  dist: zip('https://api.github.com/repos/a/b/zipball/0123abc'),
  'notification-url': 'https://packagist.org/downloads/',
};
const LOCK = {
  _readme: ['This file locks the dependencies of your project to a known state'],
  'content-hash': '5e3e9b1c',
  packages: [
    { name: 'symfony/http-kernel', version: 'v5.4.0', ...PUBLIC },
    {
      name: 'wpackagist-plugin/akismet',
      version: '5.0',
      ...PUBLIC,
      'notification-url': 'https://wpackagist.org/downloads/',
    },
    {
      name: 'shop/private',
      version: '1.0.0',
      ...PUBLIC,
      'notification-url': 'https://repo.example.com/downloads/',
    },
    { name: 'shop/fork', version: 'dev-main', source: git('https://github.com/shop/fork.git') },
    { name: 'shop/local', version: 'dev-main', dist: { type: 'path', url: '../local' } },
    { name: 'shop/archive', version: '1.0.0', dist: zip('https://example.com/a.zip') },
  ],
  'packages-dev': [{ name: 'phpunit/phpunit', version: '9.5.0', ...PUBLIC }],
  aliases: [],
  'minimum-stability': 'stable',
};

test('packages are read with those for development, plugins of WordPress among them', () => {
  assert.ok(isComposerLock(LOCK));
  const inventory = readComposerLock(LOCK);
  assert.equal(inventory.format, 'composer.lock');
  assert.deepEqual(packagesOf(inventory), [
    'composer symfony/http-kernel@v5.4.0?',
    'plugin akismet@5.0?',
    'composer phpunit/phpunit@9.5.0?',
  ]);
  assert.deepEqual(inventory.packages[2].places, ['packages-dev']);
  assert.deepEqual(notesOf(inventory), [
    'a package of the registry repo.example.com: 1',
    'a git repository: 1',
    'a local file or folder: 1',
    'a package of an unknown registry: 1',
  ]);
});

test('entries of any form are read or named', () => {
  for (const packages of [[1, null, 'a', {}, { name: 5, version: [] }], []])
    assert.deepEqual(readComposerLock({ packages, 'packages-dev': {} }).packages, []);
  assert.equal(isComposerLock({ packages: {} }), false);
});
