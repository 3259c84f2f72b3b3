import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePurl, purlOf } from '../../../src/dialects/osv/purl.ts';

/** `ecosystem name@version`, or what else the text is. */
function read(text: string): string {
  const purl = parsePurl(text);
  switch (purl.kind) {
    case 'held':
      return `${purl.ecosystem} ${purl.name}@${purl.version}`;
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
  assert.equal(read('pkg:hex/plug@3.1.4'), 'other hex');
  assert.equal(read('pkg:deb/debian/curl@7?arch=source'), 'other deb');
  assert.equal(read('pkg:__proto__/a'), 'the type of the purl is not valid');
  assert.equal(read('pkg:constructor/a'), 'other constructor');
});

test('what is not a purl is told apart', () => {
  assert.equal(read('npm/lodash'), 'a purl begins with "pkg:"');
  assert.equal(read('pkg:npm'), 'a purl has a type and a name');
  assert.equal(read('pkg:npm/'), 'a purl has a type and a name');
  assert.equal(read('pkg:npm/?a=b'), 'a purl has a type and a name');
  assert.equal(
    read(`pkg:npm/${'/'.repeat(5000)}a`),
    'a purl has at most 4096 characters before its qualifiers',
  );
  assert.equal(read(`pkg:npm/a@1?${'q'.repeat(5000)}`), 'npm a@1');
  assert.equal(read('pkg:n pm/a'), 'the type of the purl is not valid');
  assert.equal(read('pkg:npm/%E0%A4'), 'the purl has a percent escape that is not valid');
});

test('records of npm have a purl; for WordPress no type is registered', () => {
  assert.equal(purlOf('npm', 'lodash'), 'pkg:npm/lodash');
  assert.equal(purlOf('npm', '@angular/core'), 'pkg:npm/%40angular/core');
  assert.equal(purlOf('npm', "it's a (odd) name!"), 'pkg:npm/it%27s%20a%20%28odd%29%20name%21');
  assert.equal(purlOf('WordPress', 'plugin/akismet'), undefined);
  for (const name of ['lodash', '@angular/core', 'a b', 'a@b', 'a:b']) {
    assert.equal(read(purlOf('npm', name) ?? ''), `npm ${name}@`);
  }
});
