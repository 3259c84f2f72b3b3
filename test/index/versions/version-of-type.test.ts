import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStrictSemver } from '../../../src/index/versions/version-of-type.ts';
import { words } from '../../support/words.ts';

test('the grammar of SemVer 2 decides, without prefixes, short forms and leading zeros', () => {
  for (const version of words('0.0.0 1.2.3 1.2.3-0 1.2.3-rc.1 1.2.3-- 1.2.3-0a 1.2.3+001.a 1.2.3-a+b')) {
    assert.equal(isStrictSemver(version), true, version);
  }
  for (const version of [
    '',
    ...words('1 1.2 v1.2.3 =1.2.3 01.2.3 1.2.3-01 1.2.3- 1.2.3+ 1.2.3.4'),
    ' 1.2.3',
    '1.2.3beta',
  ]) {
    assert.equal(isStrictSemver(version), false, version);
  }
});
