import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purlOf } from '../../../src/dialects/osv/purl.ts';
import { parsePurl } from '../../../src/index/parse-purl.ts';

test('records of npm have a purl; for WordPress no type is registered', () => {
  assert.equal(purlOf('npm', 'lodash'), 'pkg:npm/lodash');
  assert.equal(purlOf('npm', '@angular/core'), 'pkg:npm/%40angular/core');
  assert.equal(purlOf('npm', "it's a (odd) name!"), 'pkg:npm/it%27s%20a%20%28odd%29%20name%21');
  assert.equal(purlOf('WordPress', 'plugin/akismet'), undefined);
  for (const name of ['lodash', '@angular/core', 'a b', 'a@b', 'a:b']) {
    const read = parsePurl(purlOf('npm', name) ?? '');
    assert.equal(read.kind === 'held' && read.name, name);
  }
});

test('each ecosystem is written as its type of purl has it', () => {
  assert.equal(purlOf('Maven', 'org.a:b'), 'pkg:maven/org.a/b');
  assert.equal(purlOf('PyPI', 'Zope.Interface'), 'pkg:pypi/zope-interface');
  assert.equal(purlOf('Go', 'github.com/Masterminds/goutils'), 'pkg:golang/github.com/Masterminds/goutils');
});
