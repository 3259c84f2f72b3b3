// `?snapshot=`: answers from a generation that the process still holds, on every keyed route.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { KeptGeneration } from '../../src/http/context.ts';
import { asPinned, pinOf } from '../../src/http/pinning.ts';
import { prepareFiles } from '../../src/http/replies/answer-prepared.ts';
import type { PreparedFile } from '../../src/http/replies/prepared-files.ts';
import type { Answer } from '../../src/http/replies/responses.ts';
import type { Generation } from '../../src/index/generation.ts';
import { type FeedJson, feedRecord } from '../support/feeds/advisories.ts';
import {
  keyRecord,
  outcomeOf,
  startServer,
  type TestServer,
  type TestServerOptions,
} from '../support/serving/server.ts';
import { toyWithFiles } from '../support/serving/toy-dialect.ts';
import { coreAdvisory, generationOf } from '../support/snapshots/generation.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const BUILT_AT_MS = Date.UTC(2026, 0, 11);
const CREATED_MS = Date.UTC(2026, 0, 3, 3, 4, 5);

/** Of the snapshot with that number: as many advisories as the number, the newest with a fix of its own. */
function recordsOf(number: number): FeedJson[] {
  return Array.from({ length: number }, (_, i) =>
    feedRecord(i + 1, { title: `In ${number}`, created_at: new Date(CREATED_MS + i * DAY_MS).toISOString() }),
  );
}

/** A server to which some snapshots were published in turn, and their ids by number, from 1 on. */
async function serve(
  t: TestContext,
  count: number,
  options: TestServerOptions = {},
): Promise<{
  readonly server: TestServer;
  readonly ids: readonly string[];
  readonly generations: readonly Generation[];
}> {
  const server = await startServer(t, { keepGenerations: 2, ...options });
  const ids = [''];
  const generations: Generation[] = [];
  for (let number = 1; number <= count; number++) {
    await server.publish(recordsOf(number), BUILT_AT_MS + number * DAY_MS);
    const generation = server.swap.current() ?? assert.fail();
    ids.push(generation.id);
    generations.push(generation);
  }
  return { server, ids, generations };
}

const ITEM = '{"type":"plugin","name":"gallery","version":"1.0"}';

test('every answer from the data says which snapshot it is from, also without a tag and as a 304', async (t) => {
  const { server, ids } = await serve(t, 3);
  const from = async (
    path: string,
    init: Parameters<TestServer['request']>[1] = {},
  ): Promise<string | null> => {
    const headers = { PSKey: 'partner-key', ...init.headers };
    return (await server.request(path, { ...init, headers })).headers.get('vulndex-snapshot');
  };
  const path = '/product/plugin/gallery/1.0/exists';
  assert.equal(await from(path), ids[3]);
  assert.equal(await from(`${path}?snapshot=${ids[2]}`), ids[2]);
  assert.equal(await from('/all'), ids[3]);
  assert.equal(await from('/batch', { method: 'POST', body: `[${ITEM}]` }), ids[3]);
  assert.equal(await from(`/batch?snapshot=${ids[1]}`, { method: 'POST', body: `[${ITEM}]` }), ids[1]);
  assert.equal(await from(path, { headers: { 'If-None-Match': '*' } }), ids[3]);
  for (const other of ['/openapi.json', '/readyz', '/nowhere', '/operations']) {
    assert.equal(await from(other), null, other);
  }
});

test('ready for a snapshot means that it is the live one', async (t) => {
  const { server, ids } = await serve(t, 2);
  const outcome = async (query: string): Promise<string> =>
    outcomeOf(await server.request(`/readyz${query}`));
  assert.match(await outcome(`?snapshot=${ids[2]}`), /^200/);
  assert.match(await outcome(`?other=1`), /^200/);
  assert.equal(await outcome(`?snapshot=${ids[1]}`), '503 other_snapshot');
  assert.equal(await outcome('?snapshot=newest'), '422 invalid_parameter snapshot');
  const { detail } = (await server.request(`/readyz?snapshot=${ids[1]}`)).json();
  assert.equal(detail, `Snapshot ${ids[2]} is live here, not ${ids[1]}.`);
});

test('every keyed route answers from the snapshot that is named', async (t) => {
  const { server, ids } = await serve(t, 3);
  for (const number of [1, 2, 3]) {
    const pin = `snapshot=${ids[number]}`;
    const all = await server.request(`/all?${pin}`);
    assert.equal(all.json().vulnerabilities.length, number);
    assert.match(all.headers.get('etag') ?? '', new RegExp(`^"${ids[number]}\\.`));
    const product = await server.request(`/product/plugin/gallery/1.0?${pin}&fix=true`);
    assert.equal(product.json().vulnerabilities.length, number);
    const { vulnerabilities } = (await server.request(`/latest?${pin}`)).json();
    assert.deepEqual(
      vulnerabilities.map(({ id }: { id: number }) => id),
      number === 1 ? [1] : [number, number - 1],
      'the window ends with the newest of that snapshot',
    );
    const [result] = (await server.request(`/batch?${pin}`, { method: 'POST', body: `[${ITEM}]` })).json();
    assert.equal(result.vulnerabilities.length, number);
    assert.equal(result.vulnerabilities[0].title, `In ${number}`);
    const exists = await server.request(`/product/plugin/gallery/1.0/exists?${pin}`);
    assert.deepEqual(exists.json(), { vulnerable: true });
    assert.equal(
      outcomeOf(await server.request(`/vulnerability/3?${pin}`)),
      number === 3 ? '200' : '404 unknown_vulnerability',
    );
  }
  assert.equal((await server.request('/all')).json().vulnerabilities.length, 3, 'the live one is unaffected');
});

test('a snapshot that is not held is 412, with the ids of those that are, the live one first', async (t) => {
  const { server, ids } = await serve(t, 4);
  for (const [path, init] of [
    ['/all', {}],
    ['/vulnerability/1', {}],
    ['/product/plugin/gallery/1.0/exists', {}],
    ['/batch', { method: 'POST', body: `[${ITEM}]` }],
  ] as const) {
    const response = await server.request(`${path}?snapshot=${ids[1]}`, init);
    assert.equal(outcomeOf(response), '412 unknown_snapshot', path);
    assert.deepEqual(response.json().snapshots, [ids[4], ids[3], ids[2]]);
    assert.ok(response.json().detail.includes(ids[1]));
    assert.equal(response.headers.get('etag'), null);
  }
});

test('an id that is malformed or given twice is 422, also with an escaped name', async (t) => {
  const { server, ids } = await serve(t, 1);
  const queries = ['snapshot=', 'snapshot=1', `snapshot=${ids[1].toUpperCase()}x`, `snapshot="${ids[1]}"`];
  queries.push(`snapshot=${ids[1]}&snapshot=${ids[1]}`, 'snapshot=%zz', '%73napshot=1');
  for (const query of queries) {
    const batch = await server.request(`/batch?${query}`, { method: 'POST', body: '[]' });
    for (const response of [await server.request(`/all?${query}`), batch]) {
      assert.equal(outcomeOf(response), '422 invalid_parameter snapshot', query);
    }
  }
  assert.equal((await server.request(`/all?%73napshot=${ids[1]}`)).status, 200);
  assert.equal(
    (await server.request('/all?snapshots=1&x=snapshot')).status,
    200,
    'other parameters are ignored',
  );
});

test('without kept generations only the live one can be named', async (t) => {
  const { server, ids } = await serve(t, 2, { keepGenerations: 0 });
  assert.equal((await server.request(`/all?snapshot=${ids[2]}`)).status, 200);
  const response = await server.request(`/all?snapshot=${ids[1]}`);
  assert.deepEqual(response.json().snapshots, [ids[2]]);
});

test('a tag is current if the named snapshot has it, not the live one', async (t) => {
  const { server, ids } = await serve(t, 2);
  const tag = (await server.request('/all')).headers.get('etag') as string;
  const first = (await server.request(`/all?snapshot=${ids[1]}`)).headers.get('etag') as string;
  const statusOf = async (path: string, ifNoneMatch: string): Promise<number> =>
    (await server.request(path, { headers: { 'If-None-Match': ifNoneMatch } })).status;
  assert.equal(await statusOf(`/all?snapshot=${ids[1]}`, tag), 200);
  assert.equal(await statusOf(`/all?snapshot=${ids[1]}`, first), 304);
  assert.equal(await statusOf('/all', first), 200);
  assert.equal(
    await statusOf(`/all?snapshot=${'0'.repeat(16)}`, '*'),
    412,
    'it is not current what is not there',
  );
});

test('the warning about old data is about the named snapshot', async (t) => {
  const nowMs = BUILT_AT_MS + 3 * DAY_MS;
  const { server, ids } = await serve(t, 2, { maxDataAgeMs: 1.5 * DAY_MS, nowMs: () => nowMs });
  assert.equal((await server.request('/all')).headers.get('warning'), null);
  const older = await server.request(`/all?snapshot=${ids[1]}`);
  assert.match(older.headers.get('warning') ?? '', /^110 /);
});

test('a refused id costs one request, a batch of a tier that counts items too; the quota comes first', async (t) => {
  const { server } = await serve(t, 1, {
    tiers: {
      tiny: { endpoints: ['all', 'batch'], rate: { limit: 50, window_seconds: 5000 }, batch_cost: 'item' },
    },
    keys: [keyRecord('tiny-key', 'tiny')],
  });
  const headers = { PSKey: 'tiny-key' };
  const unknown = `snapshot=${'0'.repeat(16)}`;
  const first = await server.request(`/all?${unknown}`, { headers });
  const second = await server.request(`/batch?${unknown}`, {
    method: 'POST',
    body: `[${ITEM},${ITEM}]`,
    headers,
  });
  assert.deepEqual([first.status, second.status], [412, 412]);
  assert.match(first.headers.get('ratelimit') ?? '', /;r=49;/);
  assert.match(second.headers.get('ratelimit') ?? '', /;r=48;/);
  for (let i = 0; i < 48; i++) await server.request('/all?per_page=1', { headers });
  assert.equal(outcomeOf(await server.request(`/all?${unknown}`, { headers })), '429 rate_limited');
});

test('going back and forth between generations takes no memory each time', async (t) => {
  const { server, ids, generations } = await serve(t, 3);
  const memory = () => generations.map(({ parts }) => parts.items.parts[0].memory.buffer.byteLength);
  const go = async (): Promise<void> => {
    for (const id of ids.slice(1)) {
      const { vulnerabilities } = (await server.request(`/all?snapshot=${id}`)).json();
      assert.equal(vulnerabilities.length, ids.indexOf(id));
    }
  };
  await go();
  const before = memory();
  for (let i = 0; i < 5; i++) await go();
  assert.deepEqual(memory(), before);
});

test('a batch whose body arrives after a swap is answered from the snapshot that it names', async (t) => {
  const { server, ids } = await serve(t, 2);
  let release: () => void = () => {};
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('['));
      release = () => {
        controller.enqueue(new TextEncoder().encode(`${ITEM}]`));
        controller.close();
      };
    },
  });
  const sent = fetch(`${server.address}/batch?snapshot=${ids[1]}`, {
    method: 'POST',
    body,
    headers: { PSKey: 'partner-key' },
    duplex: 'half',
  } as RequestInit);
  await until('the beginning of the body', () => server.http.pendingBytes > 0);
  await server.publish(recordsOf(3), BUILT_AT_MS + 3 * DAY_MS);
  await server.publish(recordsOf(4), BUILT_AT_MS + 4 * DAY_MS); // the first is released
  release();
  const [result] = (await (await sent).json()) as [{ vulnerabilities: unknown[] }];
  assert.equal(result.vulnerabilities.length, 1);
});

test('a query without the parameter stays with the live generation', () => {
  const none: readonly KeptGeneration[] = [];
  assert.deepEqual(pinOf('include=details', none), { kind: 'live' });
  assert.deepEqual(pinOf('name=%41', none), { kind: 'live' });
  assert.deepEqual(pinOf('snapshots=1', none), { kind: 'live' });
});

test('a prepared file of another snapshot is 412, naming that of the files; other answers pass', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  const other = generationOf(t, [coreAdvisory(2)]);
  const files = prepareFiles([toyWithFiles], other);
  const answer: Answer = {
    kind: 'prepared',
    file: files.get('toy/all.txt') as PreparedFile,
    isCurrent: false,
    acceptsGzip: false,
  };
  const prepared = { snapshot: other.id, files };
  assert.equal(asPinned(answer, other, prepared), answer);
  const refused = asPinned(answer, generation, prepared);
  assert.ok(refused.kind === 'problem');
  assert.deepEqual([refused.problem.status, refused.problem.members], [412, { snapshots: [other.id] }]);
  assert.equal(asPinned(refused, generation, prepared), refused);
});
