import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeSemver } from '../../../src/index/versions/complete-semver.ts';

test('a short or loose bound is written in full, and what is not a version stays', () => {
  assert.equal(completeSemver('1.2'), '1.2.0');
  assert.equal(completeSemver('v1.2.3beta.01'), '1.2.3-beta.1');
  assert.equal(completeSemver('latest'), 'latest');
});
