import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalId } from '../../../src/importers/record/advisory-id.ts';

test('an id is written as its database writes it', () => {
  assert.equal(canonicalId('ghsa-35JH-r3h4-6jhm'), 'GHSA-35jh-r3h4-6jhm');
  assert.equal(canonicalId('cve-2026-1'), 'CVE-2026-1');
  assert.equal(canonicalId('mal-2026-1'), 'MAL-2026-1');
});

test('an id of an unknown form stays as it is', () => {
  for (const id of ['SNYK-JS-lodash-1', '0a1b2c3d-0000-4000-8000-00000000abcd', 'a b', '']) {
    assert.equal(canonicalId(id), id);
  }
});
