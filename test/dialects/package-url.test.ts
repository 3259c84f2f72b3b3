import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageUrl } from '../../src/dialects/package-url.ts';
import { parsePurl } from '../../src/index/parse-purl.ts';

test('each type has its notation, with names as they are stored', () => {
  assert.equal(packageUrl('npm', 'lodash', '4.17.20'), 'pkg:npm/lodash@4.17.20');
  assert.equal(packageUrl('npm', '@angular/Core', '1.0.0'), 'pkg:npm/%40angular/Core@1.0.0');
  assert.equal(packageUrl('pypi', 'Flask_Login', '1.0'), 'pkg:pypi/flask-login@1.0');
  assert.equal(packageUrl('golang', 'github.com/A/b', '1.0.0'), 'pkg:golang/github.com/A/b@1.0.0');
  assert.equal(packageUrl('maven', 'org.a:b', '1'), 'pkg:maven/org.a/b@1');
  assert.equal(packageUrl('plugin', 'Gallery', ''), 'pkg:wordpress/plugin/gallery');
  assert.equal(packageUrl('theme', 'paper', '1.0-beta'), 'pkg:wordpress/theme/paper@1.0-beta');
  assert.equal(packageUrl('wordpress', 'any', '6.4'), 'pkg:wordpress/wordpress@6.4');
});

test('queries of OSV read what is written', () => {
  for (const [type, name, version] of [
    ['npm', '@scope/name', '1.0.0+build.1'],
    ['npm', 'a b"c', '1.0.0'],
    ['plugin', 'gälerie', '1:2@3'],
  ] as const) {
    const read = parsePurl(packageUrl(type, name, version));
    assert.ok(read.kind === 'held');
    assert.deepEqual([read.name.replace(/^plugin\//, ''), read.version], [name, version]);
  }
});

test('whatever a client sends becomes a few safe characters', () => {
  for (const text of ['\n{"msg":"forged"}', '\u0000', '\ud800', '💥', '%', '../..', "a'b(c)*!"]) {
    assert.match(packageUrl('npm', text, text), /^[\w.~:%/@+-]+$/, text);
  }
  assert.equal(packageUrl('npm', '\ud800', ''), 'pkg:npm/%EF%BF%BD');
});
