// Few bytes in, many out: batches whose items repeat or are large, from clients that read and from clients
// that never do. Other clients keep sending requests meanwhile; memory is measured before, during and after.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FeedRecord } from '../../src/generator/feed-record.ts';
import { figure } from '../support/figure.ts';
import { MARKER_SLUG } from '../support/load/builds.ts';
import { describeFailures, Load } from '../support/load/load.ts';
import { get, post } from '../support/load/mix.ts';
import { HttpSocket } from '../support/process/http-socket.ts';
import { RudeSocket } from '../support/process/rude-socket.ts';
import { type FaultScene, prepareFaults } from './support/fault-scene.ts';
import { Latencies } from './support/latencies.ts';
import { assertNoLeak } from './support/leaks.ts';
import { MemoryWatch, MIB, mebibytes, residentBytes } from './support/process-figures.ts';
import { scaled, sleep } from './support/scale.ts';

const SOURCE = 'amplification';
const ADVISORIES = 2_000;
const DETAILS = 'All about it. '.repeat(1_500);
const ITEMS = 50;
const MOST_ADVISORIES = 30; // per product: 630 KB with details
const GREEDY = 8;
const BATCHES = scaled(120, 60);
const NEVER_READING = scaled(320, 60); // enough to reach what a worker may hold
const WORKERS = 2;
const HELD_BYTES = WORKERS * (512 << 20); // the limit for replies, including those being assembled
const SLACK_BYTES = WORKERS * (96 << 20); // garbage that is not collected yet
const NEVER_READING_A_ROUND = 40;
const PATIENCE_MS = 120_000;
// Of `exists` beside the batches. A request waits for the batches that reached the same worker before it:
// four of some 20 ms if the items are equal. With different items each has its details to unpack, a quarter
// of a second's work, which only a quota limits further. The machine has cores for the server or for this
// process, not for both.
const QUIET_P99_MS = 100;
const EQUAL_P99_MS = 1_000;
const UNLIKE_P99_MS = 5_000;

test('large answers to small requests hurt neither other clients nor memory', async (t) => {
  const scene = await prepareFaults(t, ADVISORIES, DETAILS);
  const items = largestItems(scene.builds.records);
  const equal = post(
    '/batch?include=details',
    scene.access.free,
    JSON.stringify(Array(ITEMS).fill(items[0])),
  );
  const unlike = post('/batch?include=details', scene.access.free, JSON.stringify(items));
  await warm(scene, [equal, unlike]);
  const before = residentBytes(scene.server.pid);

  await t.test('no greedy clients', (t) => besides(t, scene, QUIET_P99_MS, () => sleep(3_000)));
  await t.test(`${GREEDY} clients with batches of ${ITEMS} equal items`, (t) =>
    besides(t, scene, EQUAL_P99_MS, () => askGreedily(t, scene, equal)),
  );
  await t.test(`${GREEDY} clients with batches of ${ITEMS} different items`, (t) =>
    besides(t, scene, UNLIKE_P99_MS, () => askGreedily(t, scene, unlike)),
  );
  await t.test(`${NEVER_READING} clients that never read`, (t) =>
    besides(t, scene, EQUAL_P99_MS, async () => {
      const watch = new MemoryWatch(scene.server.pid);
      await readNever(scene, equal, NEVER_READING);
      const most = watch.stop();
      figure(t, {
        source: SOURCE,
        name: `${SOURCE}: memory held for clients that never read`,
        value: (most - before) / MIB,
        unit: 'MiB',
        ceiling: (HELD_BYTES + SLACK_BYTES) / MIB,
      });
    }),
  );
  await t.test(`${NEVER_READING_A_ROUND} clients that never read, again and again`, (t) =>
    assertNoLeak(t, scene.server, SOURCE, () => readNever(scene, equal, NEVER_READING_A_ROUND)),
  );
  assert.equal(await scene.server.stop(), 0);
});

/** Clients ask one after another, since this is about what is held for them, and hang up together. */
async function readNever({ server }: FaultScene, request: string, count: number): Promise<void> {
  const sockets: RudeSocket[] = [];
  while (sockets.length < count) {
    const socket = await RudeSocket.open(server.port);
    sockets.push(socket);
    socket.pause();
    socket.send(request);
    await sleep(30);
  }
  await sleep(3_000);
  for (const socket of sockets) socket.hangUp();
}

/** Everything about the products with the most advisories, the largest first. */
function largestItems(records: readonly FeedRecord[]): { type: string; name: string; version: string }[] {
  const counts = new Map<string, number>();
  for (const { product } of records) {
    const key = `${product.type} ${product.slug}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count <= MOST_ADVISORIES)
    .sort(([, a], [, b]) => b - a)
    .slice(0, ITEMS)
    .map(([key]) => {
      const [type = '', name = ''] = key.split(' ');
      return { type, name, version: '*' };
    });
}

async function warm({ server }: FaultScene, requests: readonly string[]): Promise<void> {
  const load = new Load({
    port: server.port,
    connections: 4,
    requests: 16,
    timeoutMs: PATIENCE_MS,
    next: (connection) => requests[connection % requests.length] as string,
  });
  await load.finished();
  assert.deepEqual(load.failures, []);
  await sleep(2_000);
}

/** Reads without parsing, which would keep this process busy, where the well-behaved clients run too. */
async function askGreedily(t: TestContext, { server }: FaultScene, request: string): Promise<void> {
  const first = new HttpSocket(server.port);
  const { status, head, body } = await first.request(request, PATIENCE_MS);
  first.close();
  assert.equal(status, 200);
  const replyBytes = head.length + 4 + body.length;
  const times = new Latencies();
  let asked = 0;
  const ask = async (): Promise<void> => {
    const socket = await RudeSocket.open(server.port);
    for (let count = 1; asked < BATCHES; count++) {
      asked += 1;
      const startMs = performance.now();
      socket.send(request);
      while (socket.receivedBytes < count * replyBytes) {
        assert.ok(!socket.isClosed && performance.now() - startMs < PATIENCE_MS, 'a reply came in full');
        await sleep(2);
      }
      times.add(performance.now() - startMs);
    }
    socket.hangUp();
  };
  await Promise.all(Array.from({ length: GREEDY }, ask));
  t.diagnostic(`greedy: ${times.summary()}; ${mebibytes(replyBytes)} per reply`);
}

/** Runs `work` while well-behaved clients send small requests. */
async function besides(
  t: TestContext,
  { server, access }: FaultScene,
  mostP99Ms: number,
  work: () => Promise<void>,
): Promise<void> {
  const load = new Load({
    port: server.port,
    connections: 4,
    next: () => get(`/product/plugin/${MARKER_SLUG}/1.0.0/exists`, access.free),
    pauseMs: 20,
  });
  try {
    await work();
  } finally {
    const times = await load.stop();
    t.diagnostic(`exists: ${times.summary()}; memory ${mebibytes(residentBytes(server.pid))}`);
    assert.equal(load.failures.length, 0, describeFailures(load.failures));
    const name = `${SOURCE}: p99 of exists beside ${t.name}`;
    figure(t, { source: SOURCE, name, value: times.at(99), unit: 'ms', ceiling: mostP99Ms });
  }
}
