import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPipfileLock, readPipfileLock } from '../../../../src/inventory/readers/python/pipfile-lock.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';

// As pipenv 2026 writes it, shortened, with a second source.
const LOCK = {
  _meta: {
    hash: { sha256: 'd9084481' },
    'pipfile-spec': 6,
    requires: {},
    sources: [
      { name: 'pypi', url: 'https://pypi.org/simple', verify_ssl: true },
      { name: 'own', url: 'https://pypi.example/simple', verify_ssl: true },
    ],
  },
  default: {
    click: { hashes: ['sha256:8b'], markers: "python_version >= '3.10'", version: '==8.5.1' },
    helper: { path: '../py/helper' },
    jinja2: { index: 'pypi', version: '==3.1.3' },
    private: { index: 'own', version: '==1.0' },
    forked: { git: 'https://github.com/shop/forked.git', ref: '0123abc' },
    loose: { version: '*' },
  },
  develop: { requests: { index: 'pypi', version: '==2.31.0' } },
};

test('packages of each category are read', () => {
  assert.ok(isPipfileLock(LOCK));
  const inventory = readPipfileLock(LOCK);
  assert.equal(inventory.updater, 'pipenv');
  assert.deepEqual(packagesOf(inventory), [
    'pypi click@8.5.1?',
    'pypi jinja2@3.1.3?',
    'pypi requests@2.31.0?',
  ]);
  assert.deepEqual(inventory.packages[2].places, ['develop']);
  assert.deepEqual(notesOf(inventory), [
    'a local file or folder: 1',
    'a package of the registry pypi.example: 1',
    'a git repository: 1',
    'no version: 1',
  ]);
});
