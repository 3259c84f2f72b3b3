import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allowsScheme,
  PLATFORMS,
  PRODUCT_TYPE_TABLE,
  PRODUCT_TYPES,
  type ProductType,
  productTypeFacts,
  storedSlug,
  versionForTool,
} from '../../src/index/product-type.ts';
import { hasLetterOrDigit, VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { isVersionOf, STRICT_TYPES } from '../../src/index/versions/version-of-type.ts';
import { words } from '../support/words.ts';

test('codes and runs that snapshots hold never move', () => {
  assert.deepEqual(PLATFORMS.slice(0, 9), [
    ...['wordpress', 'npm', 'composer', 'pypi', 'golang', 'gem', 'cargo', 'maven', 'nuget'],
  ]);
  assert.deepEqual(PRODUCT_TYPES.slice(0, 11), [
    ...words('plugin theme wordpress npm composer pypi golang gem cargo maven nuget'),
  ]);
  assert.deepEqual(VERSION_SCHEMES.slice(0, 4), ['php', 'decimal', 'semver', 'wordpress']);
});

test('each type is found by its name and stands at its code, and each platform has one', () => {
  PRODUCT_TYPE_TABLE.forEach((facts, code) => {
    assert.equal(facts.code, code);
    assert.equal(productTypeFacts(facts.name), facts);
    assert.equal(PLATFORMS[facts.run], facts.platform);
  });
  assert.equal(new Set(PRODUCT_TYPES).size, PRODUCT_TYPES.length);
  assert.deepEqual(new Set(PRODUCT_TYPE_TABLE.map(({ platform }) => platform)), new Set(PLATFORMS));
});

test('a slug that is stored is found by its own spelling, whatever the type', () => {
  for (const { name, slugFolds } of PRODUCT_TYPE_TABLE) {
    const slug = storedSlug(name, '@Scope/A-b.C_É');
    assert.ok(
      slugFolds.some((fold) => fold(slug) === slug),
      name,
    );
  }
  assert.equal(storedSlug('plugin', 'A-b'), 'a-b');
  assert.equal(storedSlug('npm', 'A-b'), 'A-b');
});

test('WordPress takes every scheme, npm its own alone', () => {
  for (const scheme of VERSION_SCHEMES) {
    assert.equal(allowsScheme(productTypeFacts('theme'), scheme), true);
    assert.equal(allowsScheme(productTypeFacts('npm'), scheme), scheme === 'semver');
  }
});

test('a type whose scheme is not strict takes what has a letter or a digit, and only that', () => {
  for (const { name, code } of PRODUCT_TYPE_TABLE) {
    for (const version of ['1', 'a', '1.2.3', 'final', '...', '', '-', 'é']) {
      const isVersion = isVersionOf(name, version);
      if (!STRICT_TYPES[code]) assert.equal(isVersion, hasLetterOrDigit(version), `${name} ${version}`);
      else assert.ok(!isVersion || version !== '', `${name} ${version}`);
    }
  }
  assert.equal(isVersionOf('npm', 'final'), false);
});

test('a version is written as the tool of its type takes it', () => {
  const cases: readonly [ProductType, name: string, version: string, written: string][] = [
    ['golang', 'golang.org/x/net', '0.56.0', 'v0.56.0'],
    ['golang', 'golang.org/x/net', 'v0.56.0', 'v0.56.0'],
    ['golang', 'stdlib', '1.20.1', '1.20.1'],
    ['golang', 'toolchain', '1.20.1', '1.20.1'],
    ['npm', 'a', '1.0.0', '1.0.0'],
    ['pypi', 'a', '1.0', '1.0'],
  ];
  for (const [type, name, version, written] of cases)
    assert.equal(versionForTool(type, name, version), written);
});
