// GET all and GET latest of the flat shape.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { handleAll } from '../../../src/dialects/patchstack-flat/lists.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { PARTNER_KEY, startServer } from '../../support/serving/server.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

const BASE = '/database/api/v2';

function created(id: number, second: number, changes: FeedJson = {}): FeedJson {
  return feedRecord(id, { created_at: `2026-01-03T03:04:${String(second).padStart(2, '0')}Z`, ...changes });
}

/** Ids 1 to 30 created together, 40 before them, 41 after them, and two of npm. */
const RECORDS = [
  ...Array.from({ length: 30 }, (_, i) => created(i + 1, 30)),
  created(40, 10),
  created(41, 50, {
    affected: [span('2.0', '2.4', 'inclusive', '2.5'), span(null, '1.5', 'exclusive', '1.5')],
  }),
  created(50, 20, { product: npmProduct('left'), affected: [span(null, '1.0.0')] }),
  created(20_000, 55, { product: npmProduct('right'), affected: [span(null, '1.0.0')] }),
  created(60, 59, { withdrawn_at: '2026-01-05T00:00:00Z' }),
];
const server = await startServer({ after }, { records: RECORDS });

async function idsOf(path: string): Promise<number[]> {
  const { vulnerabilities } = (await server.request(`${BASE}/${path}`)).json();
  return vulnerabilities.map((item: { id: number }) => item.id);
}

test('latest lists the 20 that were created last, of those created together the highest ids', async () => {
  const expected = [20_000, 41, ...Array.from({ length: 18 }, (_, i) => 30 - i)];
  assert.deepEqual(await idsOf('latest'), expected);
});

test('latest of fewer is all of them', async (t) => {
  const few = await startServer(t, { records: [created(1, 1), created(2, 2)] });
  const { vulnerabilities } = (await few.request(`${BASE}/latest`)).json();
  assert.deepEqual(
    vulnerabilities.map((item: { id: number }) => item.id),
    [2, 1],
  );
});

test('all lists everything published of both platforms by descending id, without pages', async () => {
  const ids = await idsOf('all');
  assert.deepEqual(ids, [20_000, 50, 41, 40, ...Array.from({ length: 30 }, (_, i) => 30 - i)]);
  const { vulnerabilities } = (await server.request(`${BASE}/all`)).json();
  assert.equal(vulnerabilities[2].fixed_in, '2.5');
  assert.ok(vulnerabilities.every((item: object) => !('matched_range' in item)));
});

/** As sent: `fetch` would inflate it. */
function raw(headers: Record<string, string>): Promise<{ coding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port: server.port, path: `${BASE}/all`, headers: { PSKey: PARTNER_KEY, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ coding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject).end();
  });
}

test('all comes in gzip to clients that accept it, and plain to others', async () => {
  const packed = await raw({ 'Accept-Encoding': 'gzip' });
  const plain = await raw({ 'Accept-Encoding': 'identity' });
  assert.deepEqual([packed.coding, plain.coding], ['gzip', undefined]);
  assert.equal(gunzipSync(packed.bytes).toString(), plain.bytes.toString());
});

test('both are reused by their ETag and answer HEAD', async () => {
  for (const path of ['all', 'latest']) {
    const etag = (await server.request(`${BASE}/${path}`)).headers.get('etag') ?? '';
    assert.ok(etag.includes(server.swap.current()?.id ?? 'none'));
    const again = await server.request(`${BASE}/${path}`, { headers: { 'If-None-Match': etag } });
    assert.equal(again.status, 304);
    const head = await server.request(`${BASE}/${path}`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
  }
});

test('until the file is made, the client is told to come back', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  const memory = new ThreadMemory(generation);
  const context = {
    generation,
    kept: [],
    memory,
    prepared: undefined,
    nowMs: 0,
    own: new OwnAddress(),
    latestAnchor: 'clock',
  } as const;
  const answer = handleAll(
    { method: 'GET', path: '', query: '', address: '', header: () => '', list: () => '' },
    [],
    context,
  );
  assert.ok(answer.kind === 'problem');
  assert.deepEqual([answer.problem.status, answer.problem.code], [503, 'preparing']);
  assert.deepEqual(answer.headers, [['Retry-After', '5']]);
});
