// Workers that die and one that hangs, under load: their requests in flight fail, everything else continues.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { figure } from '../support/figure.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Build, Builds, MARKER_SLUG } from '../support/load/builds.ts';
import { describeFailures, Load } from '../support/load/load.ts';
import { get, mixedRequests } from '../support/load/mix.ts';
import { type Access, writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { HealthWatch } from './support/health-watch.ts';
import { scaled, sleep, within } from './support/scale.ts';
import { Witness } from './support/witness.ts';

const WORKERS = 3;
const KILLS = scaled(6, 2);
const KILL_EVERY_MS = 3_000;
const BURST = 100;
const INTERVAL_MS = 100; // of the limited key: 100 requests in 10 s
const HANG_LIMIT_MS = 20_000;

interface Scene {
  readonly server: ServerProcess;
  readonly access: Access;
  readonly builds: Builds;
  readonly witness: Witness;
  /** Not in the folder yet. */
  readonly second: Build;
  readonly snapshots: string;
}

async function prepare(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const builds = new Builds(join(folder, 'builds'), scaled(5_000, 1_000), 33);
  const witness = new Witness();
  const first = await builds.compile(1);
  const second = await builds.compile(2);
  witness.publish(first);
  witness.publish(second);
  renameSync(first.path, join(snapshots, '1.vdx'));
  const rates = { limited: { limit: BURST, window_seconds: (BURST * INTERVAL_MS) / 1000 } };
  const access = writeAccess(join(folder, 'keys.json'), rates);
  const server = await ServerProcess.start(t, { snapshots, keys: access.file, workers: WORKERS });
  return { server, access, builds, witness, second, snapshots };
}

test('a worker that dies loses only its own requests, and no state', async (t) => {
  const { server, access, builds, witness, second, snapshots } = await prepare(t);
  const health = new HealthWatch(server);
  const load = new Load({
    port: server.port,
    connections: 32,
    next: mixedRequests(builds.records, access.free, 7),
    judge: witness.judge,
    pauseMs: 10,
    requestsPerSocket: 50, // or all sockets end up on the oldest worker
  });
  let admitted = 0;
  const limitedKey = access.limited.limited as string;
  const startMs = performance.now();
  const limited = new Load({
    port: server.port,
    connections: 6,
    next: () => get(`/product/plugin/${MARKER_SLUG}/1.0.0/exists`, limitedKey),
    judge: ({ reply }) => {
      if (reply.status === 200) admitted++;
      return reply.status === 200 || reply.status === 429 ? undefined : `status ${reply.status}`;
    },
    pauseMs: 15,
    requestsPerSocket: 20,
  });
  const kills: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(KILL_EVERY_MS);
    if (kill === KILLS >> 1) renameSync(second.path, join(snapshots, '2.vdx'));
    kills.push(performance.now());
    server.signal('SIGUSR2');
  }
  await sleep(KILL_EVERY_MS);
  await limited.stop();
  const tookMs = performance.now() - startMs;
  const times = await load.stop();
  const pings = health.stop();

  const failures = [...load.failures, ...limited.failures];
  const refill = tookMs / INTERVAL_MS;
  t.diagnostic(`${times.summary()}; ${KILLS} workers killed, ${failures.length} requests failed`);
  t.diagnostic(`limited key: ${admitted} admitted, expected ${(BURST + refill).toFixed(0)}`);
  t.diagnostic(`health: ${pings.summary()}, ${health.failures.length} failed`);
  assert.ok(server.errors === '' || !server.errors.includes('FATAL'), server.errors);
  let latestMs = 0;
  for (const failure of failures) {
    assert.equal(failure.retry, undefined, `a retry succeeds: ${describeFailures([failure])}`);
    assert.ok(!failure.what.startsWith('torn') && !failure.what.startsWith('gone back'), failure.what);
    const sinceKillMs = Math.min(...kills.map((atMs) => failure.atMs - atMs).filter((ms) => ms >= 0));
    latestMs = Math.max(latestMs, sinceKillMs);
  }
  const latest = { name: 'crash: the last failed request after a kill', value: latestMs, ceiling: 1_500 };
  figure(t, { source: 'crash', unit: 'ms', ...latest });
  for (const [place, atMs] of kills.entries()) {
    const hit = failures.filter((failure) => failure.atMs >= atMs && failure.atMs < atMs + KILL_EVERY_MS);
    assert.ok(
      hit.length < 38,
      `kill ${place} failed ${hit.length} of 38 connections: no worker kept serving`,
    );
  }
  // A request that was cut off may have been admitted without a reply.
  const lost = limited.failures.length;
  assert.ok(admitted <= BURST + refill + 2, `${admitted} admitted, more than ${BURST + refill}`);
  assert.ok(admitted >= BURST + refill - lost - 3, `${admitted} admitted, fewer than ${BURST + refill}`);
  assert.equal(witness.newest, 2);
  assert.equal(await server.stop(), 0, 'the process survives its workers');
});

for (const [where, signal] of [
  ['outside a request', 'SIGPROF'],
  ['in a request handler', 'SIGVTALRM'],
] as const) {
  test(`a worker that hangs ${where} is replaced within 20 s while the others answer`, async (t) => {
    const { server, access, builds, witness } = await prepare(t);
    const load = new Load({
      port: server.port,
      connections: 16,
      next: mixedRequests(builds.records, access.free, 8),
      judge: witness.judge,
      pauseMs: 20,
      timeoutMs: 30_000,
    });
    await sleep(2_000);
    const calm = load.turn();
    const startMs = performance.now();
    server.signal(signal);
    const replacedMs = await within('the hung worker is replaced', HANG_LIMIT_MS, async () => {
      if (server.logged('worker is replaced').length === 0) return false;
      const status = await server.ops('status');
      return !/"state": *"(?!serving)/.test(status.text);
    });
    const duringHang = load.turn();
    const perSecond = (duringHang.count / (performance.now() - startMs)) * 1000;
    await sleep(2_000);
    const after = await load.stop();

    t.diagnostic(
      `replaced after ${(replacedMs / 1000).toFixed(1)} s, ${load.failures.length} requests failed`,
    );
    t.diagnostic(`before: ${calm.summary()}; during: ${duringHang.summary()}; after: ${after.summary()}`);
    assert.equal((await server.told('worker is replaced'))[0]?.reason, 'hung');
    assert.ok(perSecond > 50, `the others answered only ${perSecond.toFixed(0)} requests a second`);
    assert.ok(load.failures.length < 16, describeFailures(load.failures));
    for (const failure of load.failures) assert.equal(failure.retry, undefined, describeFailures([failure]));
    assert.ok(after.count > 0);
    assert.equal(await server.stop(), 0);
    assert.equal(server.errors, '');
  });
}

test('after a 12 s pause of the process, no worker is taken for hung', async (t) => {
  const { server, access, builds, witness } = await prepare(t);
  const load = new Load({
    port: server.port,
    connections: 16,
    next: mixedRequests(builds.records, access.free, 8),
    judge: witness.judge,
    pauseMs: 20,
    timeoutMs: 60_000,
  });
  await sleep(1_000);
  server.signal('SIGSTOP');
  await sleep(12_000);
  server.signal('SIGCONT');
  load.turn();
  await sleep(4_000);
  const after = await load.stop();

  t.diagnostic(`after it resumed: ${after.summary()}; ${load.failures.length} requests failed`);
  assert.deepEqual(server.logged('worker is replaced'), []);
  assert.ok(after.count > 100, `${after.count} requests`);
  assert.equal(load.failures.length, 0, describeFailures(load.failures));
  assert.equal(await server.stop(), 0);
});
