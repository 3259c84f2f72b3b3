import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeGolang, completeSemver } from '../../../src/index/versions/complete.ts';
import { compareKeys, getVersionKey } from '../../../src/index/versions/version-key.ts';

test('a version of Go is completed to one of SemVer that equals it', () => {
  for (const [version, complete] of [
    ['1.2.3', '1.2.3'],
    ['v1.2.3', '1.2.3'],
    ['v1.2', '1.2.0'],
    ['2', '2.0.0'],
    ['v1.2.3-rc.1+incompatible', '1.2.3-rc.1+incompatible'],
    ['0.0.0-20160722212129-ac0cc4484ad4', '0.0.0-20160722212129-ac0cc4484ad4'],
    ['go1.22', '1.22.0'],
    ['go1.21.3', '1.21.3'],
    ['go1.22rc1', '1.22.0-rc.1'],
    ['1.22beta2', '1.22.0-beta.2'],
    ['go1.22rc01', '1.22.0-rc.1'],
  ]) {
    assert.equal(completeGolang(version), complete);
    assert.match(complete, /^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/);
    if (version === 'go1.22rc01') continue; // equal to no other text in keys: upstream writes no such zero
    const [one, other] = [version, complete].map((text) => getVersionKey('golang', text));
    assert.equal(compareKeys(one, other), 0, version);
  }
});

test('what is not a version stays as it is', () => {
  for (const text of ['', 'latest', 'go', 'v', '1.2.3.4', '1.x']) assert.equal(completeGolang(text), text);
});

test('a short or loose bound is written in full, and what is not a version stays', () => {
  assert.equal(completeSemver('1.2'), '1.2.0');
  assert.equal(completeSemver('v1.2.3beta.01'), '1.2.3-beta.1');
  assert.equal(completeSemver('latest'), 'latest');
});
