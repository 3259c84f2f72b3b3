import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityOf } from '../../../src/importers/osv/identity.ts';

const GHSA = 'GHSA-35jh-r3h4-6jhm';
const OTHER_GHSA = 'GHSA-r5fr-rjxr-66jc';

test('the ids of a record are told apart by their form, and none is repeated', () => {
  const found = identityOf(GHSA, [
    'CVE-2021-23337',
    'CVE-2026-4800',
    OTHER_GHSA,
    'SNYK-1',
    '',
    'SNYK-1',
    GHSA,
  ]);
  assert.deepEqual(found.cves, ['CVE-2021-23337', 'CVE-2026-4800']);
  assert.equal(found.ghsa, GHSA);
  assert.deepEqual(found.aliases, [OTHER_GHSA, 'SNYK-1']);
});

test('of several GHSA ids none is that of a record with another id', () => {
  const { ghsa, aliases } = identityOf('PYSEC-2025-1', [GHSA, OTHER_GHSA]);
  assert.deepEqual([ghsa, aliases], ['', [GHSA, OTHER_GHSA]]);
  assert.equal(identityOf('PYSEC-2025-1', [GHSA]).ghsa, GHSA);
});

test('the id of a record counts as one of its ids, so a record may be named by its CVE', () => {
  const found = identityOf('CVE-2024-1', []);
  assert.deepEqual([found.cves, found.aliases], [[], []], 'numbers have four digits or more');
  assert.deepEqual(identityOf('CVE-2024-12345', [GHSA]).cves, ['CVE-2024-12345']);
});

test('the id of a record says which page shows it', () => {
  assert.equal(identityOf(GHSA, []).url, `https://github.com/advisories/${GHSA}`);
  assert.equal(identityOf('MAL-2025-1', [GHSA]).url, `https://github.com/advisories/${GHSA}`);
  assert.equal(identityOf('MAL-2025-1', []).url, 'https://osv.dev/vulnerability/MAL-2025-1');
  assert.equal(identityOf('a b/c?', []).url, 'https://osv.dev/vulnerability/a%20b%2Fc%3F');
});

test('the id of a record says whose work it is and under which licence', () => {
  assert.deepEqual(identityOf(GHSA, ['MAL-2025-1']).sources, [
    {
      name: 'GitHub Advisory Database',
      license: 'CC-BY-4.0',
      license_url: 'https://creativecommons.org/licenses/by/4.0/',
    },
  ]);
  assert.equal(identityOf('MAL-2025-1', [GHSA]).sources[0].license, 'Apache-2.0');
  assert.deepEqual(identityOf('PYSEC-2025-1', [GHSA]).sources, [{ name: 'OSV' }]);
});

test('the ids of a record say that a package is malicious', () => {
  assert.equal(identityOf('MAL-2025-1', []).isMaliciousPackage, true);
  assert.equal(identityOf(GHSA, ['MAL-2025-1']).isMaliciousPackage, true);
  assert.equal(identityOf(GHSA, []).isMaliciousPackage, false);
});
