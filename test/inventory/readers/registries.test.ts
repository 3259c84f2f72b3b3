import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseRegistry } from '../../../src/inventory/readers/registries.ts';

test('packages of the public registry are asked about, those of others are named', () => {
  const publics = [
    ['pypi', 'https://pypi.org/simple'],
    ['pypi', 'https://user:secret@PyPI.org:443/simple/'],
    ['cargo', 'https://github.com/rust-lang/crates.io-index'],
    ['cargo', 'https://github.com/rust-lang/crates.io-index.git'],
    ['cargo', 'https://index.crates.io/'],
    ['gem', 'https://rubygems.org/'],
    ['composer', 'https://packagist.org/downloads/'],
  ] as const;
  for (const [type, address] of publics) assert.equal(refuseRegistry(type, address), undefined, address);
  assert.equal(
    refuseRegistry('cargo', 'https://github.com/shop/index'),
    'a package of the registry github.com',
  );
  assert.equal(
    refuseRegistry('pypi', 'https://user:secret@pypi.example:8443/simple'),
    'a package of the registry pypi.example',
  );
  assert.equal(
    refuseRegistry('pypi', 'https://pypi.org.example/'),
    'a package of the registry pypi.org.example',
  );
  assert.equal(refuseRegistry('pypi', '../wheels'), 'a package of an unknown registry');
});
