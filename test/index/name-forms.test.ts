import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formComplaint } from '../../src/index/name-forms.ts';

test('a name has the form of its type, where the type has one', () => {
  for (const [type, names] of [
    ['maven', ['org.a:b', 'org.a/b', 'org.a:b/c', 'a/b/c']],
    ['composer', ['a/b', 'A/b-c']],
    ['gem', ['rails', 'a/b']],
  ] as const) {
    for (const name of names) assert.equal(formComplaint(type, name), undefined, `${type} ${name}`);
  }
  for (const name of ['', 'b', ':b', 'a:', '/b', 'a/', 'a:b:c']) {
    assert.equal(formComplaint('maven', name), 'must be group:artifact or group/artifact', name);
    assert.equal(formComplaint('composer', name), 'must be vendor/package', name);
  }
});
