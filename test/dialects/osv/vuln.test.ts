// GET /osv/v1/vulns/{id} as its clients see it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord, npmProduct } from '../../support/feeds/advisories.ts';
import { startServer } from '../../support/serving/server.ts';

const CVE = { cves: ['CVE-2026-700'] };

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, {
        source_id: 'GHSA-aaaa-bbbb-cccc',
        ghsa: 'GHSA-aaaa-bbbb-cccc',
        product: npmProduct('a'),
        ...CVE,
      }),
      feedRecord(2, { source_id: 'MAL-2026-7', product: npmProduct('b', 12), ...CVE }),
      feedRecord(3, { psid: '4e07408562be', aliases: ['SNYK-JS-1'], cves: ['CVE-2026-703'] }),
      feedRecord(4, { source_id: 'CVE-2026-704', cves: ['CVE-2026-704'], product: npmProduct('c', 13) }),
      feedRecord(5, {
        source_id: 'GHSA-dddd-eeee-ffff',
        cves: ['CVE-2026-704'],
        product: npmProduct('c', 13),
      }),
      feedRecord(6, {
        source_id: 'GHSA-gone-gone-gone',
        withdrawn_at: '2026-01-05T00:00:00Z',
        cves: ['CVE-2026-706'],
      }),
      feedRecord(7, {
        source_id: 'GHSA-here-here-here',
        cves: ['CVE-2026-706'],
        aliases: ['GHSA-gone-gone-gone'],
      }),
      feedRecord(8, { psid: '2c624232cdd2', source_id: 'no/id for: a file', cves: ['CVE-2026-708'] }),
    ],
  },
);

async function idOf(asked: string): Promise<string> {
  const { status, text } = await server.request(`/osv/v1/vulns/${asked}`);
  return status === 200 ? JSON.parse(text).id : `${status} ${text}`;
}

test('a record is found by its id and by any other id, in any case', async () => {
  assert.equal(await idOf('GHSA-aaaa-bbbb-cccc'), 'GHSA-aaaa-bbbb-cccc');
  assert.equal(await idOf('ghsa-AAAA-bbbb-cccc'), 'GHSA-aaaa-bbbb-cccc');
  assert.equal(await idOf('mal-2026-7'), 'MAL-2026-7');
  assert.equal(await idOf('CVE-2026-703'), 'PSID-4e07408562be');
  assert.equal(await idOf('snyk-js-1'), 'PSID-4e07408562be');
  assert.equal(await idOf('PSID-4e07408562be'), 'PSID-4e07408562be');
  assert.equal(await idOf('psid-4E07408562BE'), 'PSID-4e07408562be');
});

test('of several records with an alias, the one whose id it is, else the oldest', async () => {
  assert.equal(await idOf('CVE-2026-700'), 'GHSA-aaaa-bbbb-cccc');
  assert.equal(await idOf('cve-2026-704'), 'CVE-2026-704');
});

test('a withdrawn record is found by its id, but gives way to a published one by an alias', async () => {
  assert.equal(await idOf('GHSA-gone-gone-gone'), 'GHSA-gone-gone-gone');
  assert.equal(await idOf('CVE-2026-706'), 'GHSA-here-here-here');
  const { withdrawn } = (await server.request('/osv/v1/vulns/GHSA-gone-gone-gone')).json();
  assert.equal(withdrawn, '2026-01-05T00:00:00Z');
});

test('a source id that cannot name a file is an alias', async () => {
  const record = (await server.request('/osv/v1/vulns/CVE-2026-708')).json();
  assert.equal(record.id, 'PSID-2c624232cdd2');
  assert.deepEqual(record.aliases, ['CVE-2026-708', 'no/id for: a file']);
  assert.equal(await idOf(encodeURIComponent('no/id for: a file')), record.id);
});

test('an unknown id is 404, a bad one 400', async () => {
  const notFound = '404 {"code":5,"message":"Vulnerability not found"}';
  assert.equal(await idOf('GHSA-none-none-none'), notFound);
  assert.equal(await idOf('PSID-000000000000'), notFound);
  assert.equal(await idOf('4e07408562be'), notFound);
  assert.equal(await idOf('x'.repeat(100)), notFound);
  assert.equal(await idOf('__proto__'), notFound);
  assert.equal(await idOf('x'.repeat(101)), '400 {"code":3,"message":"ID is too long"}');
  assert.equal(await idOf(''), '400 {"code":3,"message":"ID is required"}');
  assert.equal(await idOf('%ZZ'), '400 {"code":3,"message":"ID has a percent escape that is not valid"}');
});

test('a record that the client has is not sent again', async () => {
  const { headers } = await server.request('/osv/v1/vulns/MAL-2026-7');
  const etag = headers.get('etag') ?? '';
  const again = await server.request('/osv/v1/vulns/MAL-2026-7', { headers: { 'If-None-Match': etag } });
  assert.equal(again.status, 304);
  assert.equal((await server.request('/osv/v1/vulns/MAL-2026-7', { method: 'HEAD' })).status, 200);
});
