// The tag as clients see it: one per snapshot, on every endpoint.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord } from '../support/feeds/advisories.ts';
import { outcomeOf, startServer, type TestServer } from '../support/serving/server.ts';

const HOUR_MS = 3_600_000;
const CREATED_MS = Date.UTC(2026, 0, 3, 3, 4, 5);
const RECORDS = [
  feedRecord(1),
  feedRecord(2, { created_at: '2026-01-03T13:04:05Z', cves: ['CVE-2026-0001'] }),
  feedRecord(3, { cves: ['CVE-2026-0001'] }),
];

const server = await startServer({ after }, { records: RECORDS });

const id = server.swap.current()?.id;
const PATHS = [
  `/changes?since=${id}`,
  `/all?snapshot=${id}`,
  '/all',
  '/all?cursor=&per_page=1',
  '/all?page=9',
  '/all?include=details',
  '/latest',
  '/product/plugin/gallery/1.0',
  '/product/plugin/gallery/*',
  '/product/theme/unknown/1.0',
  '/product/plugin/gallery/1.0/exists',
  '/vulnerability/1',
  '/explain/plugin/gallery/1.0',
  '/products?type=plugin',
];

function etagAt(path: string, from: TestServer = server): Promise<string | null> {
  return from.request(path).then((response) => response.headers.get('etag'));
}

test('every endpoint has the tag of the snapshot, /latest more in it, and an explanation its own revision', async () => {
  const tag = `"${server.swap.current()?.id}.2"`;
  for (const path of PATHS) {
    const expected = path.startsWith('/explain/')
      ? tag.replace('.2', '.4')
      : path === '/latest'
        ? tag.replace(/"$/, '.')
        : tag;
    assert.ok((await etagAt(path))?.startsWith(expected), path);
  }
  const batch = await server.request('/batch', { method: 'POST', body: '[]' });
  assert.equal(batch.headers.get('etag'), tag);
});

test('two servers with the same snapshot send the same tags', async (t) => {
  const replica = await startServer(t, { records: RECORDS });
  for (const path of PATHS) assert.equal(await etagAt(path, replica), await etagAt(path), path);
});

test('a new snapshot has a new tag, and a copy of the old one is no longer current', async (t) => {
  const changing = await startServer(t, { records: RECORDS });
  const before = (await etagAt('/all', changing)) as string;
  await changing.publish(RECORDS, Date.UTC(2026, 0, 11));
  const response = await changing.request('/all', { headers: { 'If-None-Match': before } });
  assert.equal(response.status, 200);
  assert.notEqual(response.headers.get('etag'), before);
});

test('the tag of /latest changes when an advisory enters or leaves the window, and not before', async (t) => {
  let nowMs = CREATED_MS + HOUR_MS;
  const moving = await startServer(t, { records: RECORDS, latestAnchor: 'clock', nowMs: () => nowMs });
  const first = await etagAt('/latest', moving);
  nowMs = CREATED_MS + 9 * HOUR_MS;
  assert.equal(await etagAt('/latest', moving), first);
  nowMs = CREATED_MS + 11 * HOUR_MS; // the second one has come in
  const second = (await etagAt('/latest', moving)) as string;
  assert.notEqual(second, first);
  const repeated = await moving.request('/latest', { headers: { 'If-None-Match': second } });
  assert.equal(repeated.status, 304);
  nowMs = CREATED_MS + 25 * HOUR_MS; // the first ones have gone out
  const third = await moving.request('/latest', { headers: { 'If-None-Match': second } });
  assert.equal(third.status, 200);
  assert.equal(third.json().vulnerabilities.length, 1);
});

test('a current copy gets a 304 with the tag and no body', async () => {
  for (const path of PATHS) {
    const tag = (await etagAt(path)) as string;
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await server.request(path, { method, headers: { 'If-None-Match': header } });
        assert.equal(response.status, 304, `${method} ${path} ${header}`);
        assert.equal(response.text, '');
        assert.equal(response.headers.get('etag'), tag);
        assert.equal(response.headers.get('cache-control'), 'private, no-cache');
      }
    }
    const other = await server.request(path, { headers: { 'If-None-Match': '"other"' } });
    assert.equal(other.status, 200, path);
  }
});

test('a request that is not answered is never a 304', async () => {
  const outcomes: Record<string, string> = {
    '/all?page=0': '422 invalid_parameter page',
    '/all?cursor=x': '422 invalid_cursor cursor',
    '/latest?per_page=501': '422 invalid_parameter per_page',
    '/product/plugin/gallery/': '422 invalid_parameter version',
    '/product/plugin/gallery/1?include=x': '422 invalid_parameter include',
    '/product/plugin/gallery/*/exists': '422 invalid_parameter version',
    '/product/core/gallery/1/exists': '422 invalid_parameter type',
    '/vulnerability/99': '404 unknown_vulnerability',
    '/vulnerability/CVE-2026-0001': '422 ambiguous_id id',
    '/nowhere': '404 not_found',
  };
  for (const [path, outcome] of Object.entries(outcomes)) {
    const response = await server.request(path, { headers: { 'If-None-Match': '*' } });
    assert.equal(outcomeOf(response), outcome, path);
    assert.equal(response.headers.get('etag'), null, path);
  }
  const keyless = await server.request('/all', { headers: { 'If-None-Match': '*', PSKey: '' } });
  assert.equal(outcomeOf(keyless), '401 missing_key');
  const wrongMethod = await server.request('/all', { method: 'POST', headers: { 'If-None-Match': '*' } });
  assert.equal(wrongMethod.status, 405);
});
