import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAdvisoryId, takeApart } from '../../../src/console/lookup/pasted.ts';
import type { ProductType } from '../../../src/index/product-type.ts';

const CASES: readonly [text: string, type: string, name: string, version: string][] = [
  ['pkg:npm/%40a/b@1.2.3', 'npm', '@a/b', '1.2.3'],
  ['pkg:npm/@a/b@1.2.3', 'npm', '@a/b', '1.2.3'],
  ['pkg:npm/@a/b', 'npm', '@a/b', ''],
  [' PKG:NPM/lodash@4.17.20?arch=x#sub/path ', 'npm', 'lodash', '4.17.20'],
  ['pkg:npm/lodash@1.0.0%2Bbuild', 'npm', 'lodash', '1.0.0+build'],
  ['pkg:wordpress/plugin/gallery@1.2', 'plugin', 'gallery', '1.2'],
  ['pkg:wordpress/theme/paper', 'theme', 'paper', ''],
  ['pkg:wordpress/wordpress@6.4', 'wordpress', 'wordpress', '6.4'],
  ['pkg:pypi/Django@3.2', 'pypi', 'Django', '3.2'],
  ['pkg:maven/org.a/b@1.0?type=jar', 'maven', 'org.a:b', '1.0'],
  ['https://www.npmjs.com/package/@a/b/v/1.2.3', 'npm', '@a/b', '1.2.3'],
  ['https://npmjs.com/package/lodash?activeTab=versions', 'npm', 'lodash', ''],
  ['https://wordpress.org/plugins/gallery/#developers', 'plugin', 'gallery', ''],
  ['https://de.wordpress.org/themes/paper/', 'theme', 'paper', ''],
  ['lodash@4.17.20', 'plugin', 'lodash', '4.17.20'],
  ['@a/b@1.2.3', 'npm', '@a/b', '1.2.3'],
  ['@a/b', 'npm', '@a/b', ''],
  ['gallery@*', 'plugin', 'gallery', ''],
];

test('package URLs, pages of packages and name@version are taken apart', () => {
  for (const [text, type, name, version] of CASES)
    assert.deepEqual(takeApart(text, 'plugin'), { type, name, version }, text);
});

test('what says no type keeps the one that is chosen', () => {
  for (const type of ['plugin', 'theme', 'npm'] satisfies ProductType[])
    assert.equal(takeApart('gallery@1.0', type)?.type, type);
});

test('names, and what is not understood, stay as they are', () => {
  const texts = [
    ...['', ' ', 'lodash', '@', '@a', 'a@', 'a b@1', 'name with spaces', '<img src=x onerror=alert(1)>'],
    ...['pkg:r/x@1', 'pkg:npm', 'pkg:npm/', 'pkg:wordpress/x@1', 'https://', 'javascript:alert(1)'],
    ...['https://npmjs.com.evil.example/package/x', 'https://www.npmjs.com/', 'https://wordpress.org/news/'],
  ];
  for (const text of texts) assert.equal(takeApart(text, 'npm'), undefined, text);
  assert.equal(takeApart('@a/b', 'npm'), undefined);
});

test('ids of the usual databases are told from names', () => {
  const ids = ['CVE-2024-1234', ' ghsa-jfh8-c2jp-5v3q ', 'PYSEC-2021-371', 'GO-2023-1', 'RUSTSEC-2020-0001'];
  for (const id of ids) assert.ok(isAdvisoryId(id), id);
  for (const name of ['cve', 'go-2', 'calendar-2024-1', 'ghsa-a-b-c', '@a/cve-2024-1', 'CVE-2024-1@1.0'])
    assert.ok(!isAdvisoryId(name), name);
});
