// The files of the bucket as clients fetch them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import yauzl from 'yauzl';
import { crc32c } from '../../../src/dialects/osv/crc32c.ts';
import { HELD_ECOSYSTEMS } from '../../../src/dialects/osv/ecosystems.ts';
import { bucketFile, ecosystemFile, prepareBucket } from '../../../src/dialects/osv/files.ts';
import type { HandlerContext } from '../../../src/http/context.ts';
import type { RequestView } from '../../../src/http/transport/request-view.ts';
import { feedRecord, npmProduct } from '../../support/feeds/advisories.ts';
import { PARTNER_KEY, startServer } from '../../support/serving/server.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';
import { words } from '../../support/words.ts';

const NPM = { source_id: 'GHSA-aaaa-bbbb-cccc', ghsa: 'GHSA-aaaa-bbbb-cccc' };
const RECORDS = [
  feedRecord(1, { ...NPM, product: npmProduct('a'), modified_at: '2026-02-03T04:05:06Z' }),
  feedRecord(2, { ...NPM, product: npmProduct('b', 12) }),
  feedRecord(3, {
    source_id: 'MAL-2026-3',
    product: npmProduct('c', 13),
    modified_at: '2026-02-03T04:05:07Z',
  }),
  feedRecord(4, {
    source_id: 'GHSA-gone-gone-gone',
    product: npmProduct('d', 14),
    modified_at: '2025-02-03T04:05:06Z',
    withdrawn_at: '2026-01-05T00:00:00Z',
  }),
  feedRecord(5, { psid: '000000000005' }),
  feedRecord(6, { ...NPM, product: { id: 8, type: 'theme', slug: 'both', name: 'Both' } }),
];

const server = await startServer({ after }, { records: RECORDS });

async function contents(path: string): Promise<Map<string, string>> {
  const response = await fetch(`${server.address}${path}`, { headers: { PSKey: PARTNER_KEY } });
  assert.equal(response.headers.get('content-type'), 'application/zip');
  const zip = await yauzl.fromBufferPromise(Buffer.from(await response.arrayBuffer()));
  const files = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    files.set(entry.fileName, Buffer.concat(chunks).toString());
  }
  return files;
}

test('an archive has one file for each record of its ecosystem, as GET /v1/vulns answers it', async () => {
  const npm = await contents('/osv/npm/all.zip');
  const wordpress = await contents('/osv/WordPress/all.zip');
  assert.deepEqual(
    [...npm.keys()].sort(),
    words('GHSA-aaaa-bbbb-cccc.json GHSA-gone-gone-gone.json MAL-2026-3.json'),
  );
  assert.deepEqual([...wordpress.keys()].sort(), ['GHSA-aaaa-bbbb-cccc.json', 'PSID-000000000005.json']);
  const whole = await contents('/osv/all.zip');
  assert.deepEqual(new Map([...npm, ...wordpress]), whole, 'all records, each once');
  for (const [name, text] of whole) {
    const { text: answer } = await server.request(`/osv/v1/vulns/${name.replace('.json', '')}`);
    assert.equal(text, answer, name);
  }
});

test('a record of an ecosystem is a file of its own, by its id alone', async () => {
  const of = async (path: string): Promise<string> => {
    const { status, text } = await server.request(path);
    return status === 200 ? JSON.parse(text).id : `${status} ${text}`;
  };
  const missing = '404 {"code":5,"message":"File not found"}';
  assert.equal(await of('/osv/npm/MAL-2026-3.json'), 'MAL-2026-3');
  assert.equal(await of('/osv/npm/GHSA-aaaa-bbbb-cccc.json'), 'GHSA-aaaa-bbbb-cccc');
  assert.equal(await of('/osv/WordPress/GHSA-aaaa-bbbb-cccc.json'), 'GHSA-aaaa-bbbb-cccc');
  assert.equal(await of('/osv/WordPress/MAL-2026-3.json'), missing);
  assert.equal(await of('/osv/npm/mal-2026-3.json'), missing);
  assert.equal(await of('/osv/npm/CVE-2026-3.json'), missing);
  assert.equal(await of('/osv/npm/MAL-2026-3'), missing);
  assert.equal(await of('/osv/npm/%ZZ.json'), missing);
  assert.equal(await of('/osv/Acme/all.zip'), missing);
  assert.equal(await of('/osv/Acme/modified_id.csv'), missing);
  assert.equal(await of('/osv/__proto__/all.zip'), missing);
});

const NAMES = `${HELD_ECOSYSTEMS.join('\n')}\n`;

test('lists have the last modified first, and of one instant the ids in order', async () => {
  const csv = async (path: string): Promise<string[]> =>
    (await server.request(path)).text.trimEnd().split('\n');
  assert.deepEqual(
    await csv('/osv/npm/modified_id.csv'),
    words(`
      2026-02-03T04:05:07Z,MAL-2026-3 2026-02-03T04:05:06Z,GHSA-aaaa-bbbb-cccc
      2025-02-03T04:05:06Z,GHSA-gone-gone-gone
    `),
  );
  assert.deepEqual(await csv('/osv/WordPress/modified_id.csv'), [
    '2026-02-03T04:05:06Z,GHSA-aaaa-bbbb-cccc',
    '2026-01-10T00:00:00Z,PSID-000000000005',
  ]);
  assert.deepEqual(
    await csv('/osv/modified_id.csv'),
    words(`
      2026-02-03T04:05:07Z,npm/MAL-2026-3 2026-02-03T04:05:06Z,WordPress/GHSA-aaaa-bbbb-cccc
      2026-02-03T04:05:06Z,npm/GHSA-aaaa-bbbb-cccc 2026-01-10T00:00:00Z,WordPress/PSID-000000000005
      2025-02-03T04:05:06Z,npm/GHSA-gone-gone-gone
    `),
  );
  assert.equal((await server.request('/osv/ecosystems.txt')).text, NAMES);
});

test('HEAD has the checksum and the size, and a file that the client has is not sent again', async () => {
  for (const path of ['/osv/npm/all.zip', '/osv/npm/modified_id.csv', '/osv/ecosystems.txt']) {
    const head = await server.request(path, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.match(head.headers.get('x-goog-hash') ?? '', /^crc32c=.{8}$/);
    assert.ok(Number(head.headers.get('content-length')) > 0);
    const etag = head.headers.get('etag') ?? '';
    assert.ok(etag.includes(server.swap.current()?.id ?? '?'));
    assert.equal((await server.request(path, { headers: { 'If-None-Match': etag } })).status, 304);
  }
});

test('the checksum is CRC-32C, big-endian, in base64', async () => {
  const { headers } = await server.request('/osv/ecosystems.txt', { method: 'HEAD' });
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32c(Buffer.from(NAMES)));
  assert.equal(headers.get('x-goog-hash'), `crc32c=${sum.toString('base64')}`);
});

test('the checksum in gzip is that of the bytes sent', (t) => {
  const records = Array.from({ length: 50 }, (_, i) => coreAdvisory(i + 1));
  const files = new Map(prepareBucket(generationOf(t, records)));
  const { gzip, gzipHeaders } = files.get('osv/modified_id.csv') ?? {};
  assert.ok(gzip !== undefined);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32c(gzip));
  assert.deepEqual(gzipHeaders, [['X-Goog-Hash', `crc32c=${sum.toString('base64')}`]]);
});

test('the same snapshot makes the same files', () => {
  const generation = server.swap.current();
  assert.ok(generation !== undefined);
  const [first, second] = [new Map(prepareBucket(generation)), new Map(prepareBucket(generation))];
  assert.equal(first.size, 2 * HELD_ECOSYSTEMS.length + 3);
  for (const [name, file] of first) {
    assert.ok(file.plain.buffer instanceof SharedArrayBuffer, name);
    assert.deepEqual(Buffer.from(file.plain), Buffer.from(second.get(name)?.plain ?? []), name);
    assert.deepEqual(file.headers, second.get(name)?.headers);
  }
});

test('while files are being made, clients are told when to ask again', () => {
  const request: RequestView = {
    method: 'GET',
    path: '',
    query: '',
    address: '',
    header: () => '',
    list: () => '',
  };
  const context = { prepared: undefined } as HandlerContext; // these handlers read nothing else of it
  for (const answer of [bucketFile('ecosystems.txt'), ecosystemFile('all.zip')]) {
    const refused = answer(request, ['npm'], context);
    assert.ok(refused.kind === 'problem');
    assert.equal(refused.problem.code, 'preparing');
    assert.deepEqual(refused.headers, [['Retry-After', '5']]);
  }
});
