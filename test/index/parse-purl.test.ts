import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePurl } from '../../src/index/parse-purl.ts';

/** `ecosystem name@version`, or what else the text is. */
function read(text: string): string {
  const purl = parsePurl(text);
  switch (purl.kind) {
    case 'held':
      return `${purl.platform.ecosystem} ${purl.name}@${purl.version}`;
    case 'other':
      return `other ${purl.type}`;
    case 'bad':
      return purl.problem;
  }
}

test('type, name and version are read; qualifiers and subpath are not', () => {
  assert.equal(read('pkg:npm/lodash@4.17.20'), 'npm lodash@4.17.20');
  assert.equal(read('pkg:npm/lodash'), 'npm lodash@');
  assert.equal(read('pkg:npm/%40angular/core@17.0.0'), 'npm @angular/core@17.0.0');
  assert.equal(read('pkg:npm/@angular/core@17.0.0'), 'npm @angular/core@17.0.0');
  assert.equal(read('pkg:npm/@angular/core'), 'npm @angular/core@');
  assert.equal(read('pkg:npm/a@1.0.0-rc.1%2Bbuild?vcs_url=git@host#a@b/c'), 'npm a@1.0.0-rc.1+build');
  assert.equal(read('pkg:wordpress/plugin/akismet@5.0'), 'WordPress plugin/akismet@5.0');
  assert.equal(read('pkg:wordpress/wordpress@6.4'), 'WordPress wordpress@6.4');
});

test('the scheme and the type are read in any case, and slashes before the type are skipped', () => {
  assert.equal(read('PKG:NPM/lodash@1'), 'npm lodash@1');
  assert.equal(read('pkg://npm/lodash@1'), 'npm lodash@1');
});

test('other types are told, whatever follows', () => {
  assert.equal(read('pkg:acme/plug@3.1.4'), 'other acme');
  assert.equal(read('pkg:deb/debian/curl@7?arch=source'), 'other deb');
  assert.equal(read('pkg:__proto__/a'), 'type');
  assert.equal(read('pkg:constructor/a'), 'other constructor');
});

test('what is not a purl is told apart', () => {
  assert.equal(read('npm/lodash'), 'scheme');
  assert.equal(read('pkg:npm'), 'parts');
  assert.equal(read('pkg:npm/'), 'parts');
  assert.equal(read('pkg:npm/?a=b'), 'parts');
  assert.equal(read(`pkg:npm/${'/'.repeat(5000)}a`), 'length');
  assert.equal(read(`pkg:npm/a@1?${'q'.repeat(5000)}`), 'npm a@1');
  assert.equal(read('pkg:n pm/a'), 'type');
  assert.equal(read('pkg:npm/%E0%A4'), 'escape');
});

test('each ecosystem is read as its type of purl has it', () => {
  for (const [text, expected] of [
    ['pkg:composer/symfony/http-kernel@v5.4.1', 'Packagist symfony/http-kernel@v5.4.1'],
    ['pkg:pypi/Zope.Interface@5.0', 'PyPI Zope.Interface@5.0'],
    ['pkg:golang/github.com/Masterminds/goutils@v1.1.0', 'Go github.com/Masterminds/goutils@v1.1.0'],
    ['pkg:golang/github.com%2FMasterminds%2Fgoutils@v1.1.0', 'Go github.com/Masterminds/goutils@v1.1.0'],
    ['pkg:gem/rails@7.0.0?platform=java', 'RubyGems rails@7.0.0'],
    ['pkg:cargo/abi_stable@0.9.0', 'crates.io abi_stable@0.9.0'],
    ['pkg:maven/org.a/b@1.0?type=jar#x/y', 'Maven org.a:b@1.0'],
    ['pkg:nuget/Newtonsoft.Json@12.0.1', 'NuGet Newtonsoft.Json@12.0.1'],
  ]) {
    assert.equal(read(text), expected);
  }
});

test('what is not read of a purl is told', () => {
  const ignored = (text: string): string => {
    const purl = parsePurl(text);
    return purl.kind === 'held' ? purl.ignored : purl.kind;
  };
  assert.equal(ignored('pkg:npm/a@1'), '');
  assert.equal(ignored('pkg:maven/g/a@1?type=jar&classifier=x#sub/path'), '?type=jar&classifier=x#sub/path');
});
