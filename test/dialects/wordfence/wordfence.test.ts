// The feed as scanners download it.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { complaintsAboutFeed, type FeedVariant } from '../../support/feeds/wordfence-validator.ts';
import { PARTNER_KEY, startServer } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const PATH = '/wordfence/v3/vulnerabilities';
const UUID = '0a1b2c3d-7d5a-4b88-9f54-af0a097e3295';

const product = (type: string, slug: string): FeedJson => ({ id: 5, type, slug, name: `Name of ${slug}` });

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, {
        source_id: UUID,
        title: 'Gallery and Frame <= 2.4.1 - SQL Injection',
        url: 'https://records.example/1',
        references: [{ url: 'https://advisories.example/1/fix' }, { url: 'https://records.example/1' }],
        modified_at: '2026-02-03T04:05:06Z',
        cves: ['CVE-2026-1', 'CVE-2026-11'],
        severity: 'moderate',
        credit: { name: 'Ada, Grace', url: '' },
        affected: [span('2.0', '2.4.1', 'inclusive', '2.4.2'), span(null, '1.9.3', 'exclusive', '1.9.3')],
        sources: [
          { name: 'Wordfence Intelligence', notice: 'Subject to copyright.' },
          {
            name: 'Defiant',
            notice: 'Copyright Defiant.',
            license: 'Copy it.',
            license_url: 'https://l.example/',
          },
          { name: 'Others', notice: 'Copyright others.' },
          { name: 'Silent' },
        ],
      }),
      feedRecord(2, { source_id: UUID, product: product('theme', 'frame'), affected: [span('3.0', null)] }),
      feedRecord(3, {
        psid: '0123456789ab',
        product: product('wordpress', 'wordpress'),
        kind: 'informational',
        cves: [],
        cvss: { score: null, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
        cwe: { id: null, name: 'Something' },
        affected: [span(null, null)],
      }),
      feedRecord(4, { withdrawn_at: '2026-01-05T00:00:00Z' }),
      feedRecord(5, { source_id: UUID, withdrawn_at: '2026-01-05T00:00:00Z' }),
      feedRecord(6, { product: npmProduct('left'), affected: [span(null, '1.0.0')] }),
    ],
  },
);

const feed = async (variant: FeedVariant) => (await server.request(`${PATH}/${variant}`)).json();

test('both variants pass a strict client', async () => {
  for (const variant of ['production', 'scanner'] as const) {
    assert.deepEqual(complaintsAboutFeed(await feed(variant), variant), []);
  }
});

test('the advisories of one source record are one record, under the uuid of the source', async () => {
  const record = (await feed('production'))[UUID];
  assert.deepEqual(record, {
    id: UUID,
    title: 'Gallery and Frame <= 2.4.1 - SQL Injection',
    software: [
      {
        type: 'plugin',
        name: 'Gallery',
        slug: 'gallery',
        affected_versions: {
          '[*, 1.9.3)': { from_version: '*', from_inclusive: true, to_version: '1.9.3', to_inclusive: false },
          '2.0 - 2.4.1': {
            from_version: '2.0',
            from_inclusive: true,
            to_version: '2.4.1',
            to_inclusive: true,
          },
        },
        patched: true,
        patched_versions: ['1.9.3', '2.4.2'],
        remediation: 'Update to one of these versions or a later one: 1.9.3, 2.4.2.',
      },
      {
        type: 'theme',
        name: 'Name of frame',
        slug: 'frame',
        affected_versions: {
          '3.0 - *': { from_version: '3.0', from_inclusive: true, to_version: '*', to_inclusive: true },
        },
        patched: false,
        patched_versions: [],
        remediation: 'No fix is known. Remove the software, or limit what it exposes until there is one.',
      },
    ],
    informational: false,
    description: 'What 1 is about.',
    references: words(`
      https://records.example/1 https://advisories.example/1/fix https://www.cve.org/CVERecord?id=CVE-2026-11
    `),
    cwe: { id: 89, name: 'SQL Injection', description: '' },
    cvss: { vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', score: 7.5, rating: 'Medium' },
    cve: 'CVE-2026-1',
    cve_link: 'https://www.cve.org/CVERecord?id=CVE-2026-1',
    researchers: ['Ada', 'Grace'],
    published: '2026-01-02 03:04:05',
    updated: '2026-02-03 04:05:06',
    copyrights: {
      message: 'Subject to copyright.',
      defiant: { notice: 'Copyright Defiant.', license: 'Copy it.', license_url: 'https://l.example/' },
      Others: { notice: 'Copyright others.', license: '', license_url: '' },
    },
  });
});

test('what is not known is null, and an id without a source is made from the PSID', async () => {
  const record = (await feed('production'))['01234567-89ab-8000-8000-76756c6e6478'];
  const { cwe, cvss, cve, cve_link, researchers, updated, informational, copyrights, software } = record;
  assert.deepEqual([cwe, cvss, cve, cve_link, updated], [null, null, null, null, null]);
  assert.deepEqual([researchers, informational, copyrights], [[], true, {}]);
  assert.equal(software[0].type, 'core');
  assert.deepEqual(Object.keys(software[0].affected_versions), ['* - *']);
});

test('what is withdrawn, and what is not about WordPress, is not in the feed', async () => {
  const records = await feed('scanner');
  assert.equal(Object.keys(records).length, 2);
  assert.equal(records[UUID].software.length, 2);
});

test('without records the feed is an empty object', async (t) => {
  const none = await startServer(t, {
    records: [feedRecord(6, { product: npmProduct('left'), affected: [span(null, '1.0.0')] })],
  });
  assert.equal((await none.request(`${PATH}/production`)).text, '{}');
});

/** As sent: `fetch` would inflate it. */
function raw(
  headers: Record<string, string>,
): Promise<{ status: number | undefined; coding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: server.port, path: `${PATH}/production`, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          coding: response.headers['content-encoding'],
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject).end();
  });
}

test('wordfence-cli gets the feed in gzip with its form of a key', async () => {
  const packed = await raw({
    Authorization: `Bearer cli-${PARTNER_KEY}`,
    'Accept-Encoding': 'gzip, deflate',
  });
  assert.deepEqual([packed.status, packed.coding], [200, 'gzip']);
  const plain = await raw({ PSKey: PARTNER_KEY });
  assert.deepEqual([plain.status, plain.coding], [200, undefined]);
  assert.equal(gunzipSync(packed.bytes).toString(), plain.bytes.toString());
});

test('the feed is reused by its ETag, which has the id of the snapshot, and answers HEAD', async () => {
  const etag = (await server.request(`${PATH}/scanner`)).headers.get('etag') ?? '';
  assert.ok(etag.includes(server.swap.current()?.id ?? 'none'));
  const again = await server.request(`${PATH}/scanner`, { headers: { 'If-None-Match': etag } });
  assert.deepEqual([again.status, again.text], [304, '']);
  const head = await server.request(`${PATH}/scanner`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag]);
});

test('errors are objects with a sentence under error', async () => {
  const cases: Record<string, [path: string, init: RequestInit, status: number, code: string]> = {
    'without a key': [`${PATH}/scanner`, { headers: { PSKey: '' } }, 401, 'missing_key'],
    'with a wrong key': [`${PATH}/scanner`, { headers: { PSKey: 'wrong' } }, 401, 'invalid_key'],
    'another variant': [`${PATH}/everything`, {}, 404, 'not_found'],
    'another method': [`${PATH}/scanner`, { method: 'POST', body: '{}' }, 405, 'method_not_allowed'],
  };
  for (const [name, [path, init, status, code]] of Object.entries(cases)) {
    const response = await server.request(path, init);
    const body = response.json();
    assert.deepEqual([response.status, body.code], [status, code], name);
    assert.deepEqual(Object.keys(body), ['error', 'code', 'request_id'], name);
  }
});
