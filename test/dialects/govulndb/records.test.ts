import assert from 'node:assert/strict';
import { test } from 'node:test';
import semver from 'semver';
import { fixedAfter } from '../../../src/dialects/govulndb/records.ts';

/** Around every kind of end. */
const VERSIONS = [
  ...['1.2.3', '1.2.4-0', '1.2.4-0.0', '1.2.4-alpha', '1.2.4', '1.2.3-0', '1.2.3-rc.1', '1.2.3-rc.1.0'],
  ...['1.2.3-rc.1.a', '1.2.3-rc.1.0.0', '1.2.3-rc.2', '1.2.3-rc.1-', '1.2.3-a', '1.2.2', '1.3.0', '2.0.0'],
  ...['0.0.0-20230824120805-abcdef012345', '0.0.0-20230824120805-abcdef012346', '0.0.0'],
];

function endOf(version: string): string {
  const end = fixedAfter(version);
  assert.ok('fixed' in end, version);
  return end.fixed;
}

test('the end is above the last affected version, and no version lies between', () => {
  for (const last of VERSIONS) {
    const end = endOf(last);
    for (const version of VERSIONS) {
      assert.equal(semver.lt(version, end), semver.lte(version, last), `${version} after ${last}: ${end}`);
    }
  }
});

test('a build does not count, and a number may be long', () => {
  assert.equal(endOf('1.2.3+incompatible'), '1.2.4-0');
  assert.equal(endOf('1.2.3-rc.1+meta'), '1.2.3-rc.1.0');
  assert.equal(endOf('1.2.9007199254740993'), '1.2.9007199254740994-0');
});

test('what has no next version leaves the range open to the client', () => {
  assert.deepEqual(fixedAfter('1.2'), { last_affected: '1.2' });
});
