// More connections than file descriptors: the cap is fitted to the limit, and if descriptors run out anyway,
// the process refuses connections and does not spin.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { figure } from '../support/figure.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Builds, MARKER_SLUG } from '../support/load/builds.ts';
import { describeFailures, Load } from '../support/load/load.ts';
import { get } from '../support/load/mix.ts';
import { type Access, writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { HealthWatch } from './support/health-watch.ts';
import { mebibytes, openDescriptors, residentBytes } from './support/process-figures.ts';
import { scaled, sleep, within } from './support/scale.ts';

const DESCRIPTORS = scaled(4_000, 1_000);
const CORES = { source: 'descriptors', unit: 'cores' };
const WATCHED_MS = scaled(8_000, 3_000);
const PATH = `/product/plugin/${MARKER_SLUG}/1.0.0/exists`;
const RUN_OUT = 'out of file descriptors: new connections are refused until some are free';
const FREE_AGAIN = 'file descriptors are free again: connections are accepted';

async function prepare(t: TestContext): Promise<{ server: ServerProcess; access: Access }> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const build = await new Builds(join(folder, 'builds'), 500, 42).compile(1);
  renameSync(build.path, join(snapshots, '1.vdx'));
  const access = writeAccess(join(folder, 'keys.json'));
  const plan = { snapshots, keys: access.file, workers: 2, descriptors: DESCRIPTORS };
  return { server: await ServerProcess.start(t, plan), access };
}

function lookups(server: ServerProcess, access: Access): Load {
  return new Load({
    port: server.port,
    connections: 8,
    next: () => get(PATH, access.free),
    pauseMs: 10,
  });
}

/** Silent connections. */
function openIdle(t: TestContext, port: number, count: number): Socket[] {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

/** Seconds of CPU time. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

test('idle connections beyond the limit on descriptors stop neither lookups nor the operations listener', async (t) => {
  const { server, access } = await prepare(t);
  const load = lookups(server, access);
  await sleep(2_000);
  const calm = load.turn();
  const bytesBefore = residentBytes(server.pid);
  const idle = openIdle(t, server.port, DESCRIPTORS + 500);
  const startMs = performance.now();
  const before = processorSeconds(server.pid);
  let slowestMs = 0;
  while (performance.now() - startMs < WATCHED_MS) {
    const askedMs = performance.now();
    assert.equal((await server.ops('readyz')).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - askedMs);
    await sleep(100);
  }
  const cores = (processorSeconds(server.pid) - before) / ((performance.now() - startMs) / 1000);
  const most = await server.metric('vulndex_connections_open');
  for (const socket of idle) socket.destroy();
  const during = await load.stop();

  t.diagnostic(`lookups before: ${calm.summary()}; during: ${during.summary()}`);
  t.diagnostic(
    `${most} connections kept; ${cores.toFixed(2)} cores; readyz at most ${slowestMs.toFixed(0)} ms`,
  );
  t.diagnostic(`resident: ${mebibytes(bytesBefore)} before, ${mebibytes(residentBytes(server.pid))} after`);
  assert.equal(load.failures.length, 0, describeFailures(load.failures));
  assert.equal(server.logged(RUN_OUT).length, 0, 'the cap stays below the limit');
  assert.ok(most > DESCRIPTORS / 2 && most < DESCRIPTORS, `${most}`);
  figure(t, { ...CORES, name: 'descriptors: cores beside idle connections', value: cores, ceiling: 1 });
  assert.equal(await server.stop(), 0);
});

test('a process without descriptors refuses connections, does not spin, and accepts again', async (t) => {
  const { server, access } = await prepare(t);
  const load = lookups(server, access);
  await sleep(1_000);
  const held = openDescriptors(server.pid) + 10;
  const limitTo = (count: number): void => {
    execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${count}:${DESCRIPTORS}`]);
  };
  limitTo(held);
  const idle = openIdle(t, server.port, 50);
  await within('descriptors to run out', 10_000, () => server.logged(RUN_OUT).length === 1);
  const startMs = performance.now();
  const before = processorSeconds(server.pid);
  await sleep(WATCHED_MS);
  const cores = (processorSeconds(server.pid) - before) / ((performance.now() - startMs) / 1000);
  limitTo(DESCRIPTORS);
  await within('connections to be accepted again', 10_000, () => server.logged(FREE_AGAIN).length >= 1);
  const health = new HealthWatch(server);
  await sleep(1_000);
  health.stop();
  for (const socket of idle) socket.destroy();
  const during = await load.stop();

  t.diagnostic(`lookups on open connections: ${during.summary()}; ${cores.toFixed(2)} cores`);
  assert.equal(load.failures.length, 0, describeFailures(load.failures));
  figure(t, { ...CORES, name: 'descriptors: cores without descriptors', value: cores, ceiling: 0.7 });
  assert.deepEqual(health.failures, []);
  assert.equal(await server.stop(), 0);
});
