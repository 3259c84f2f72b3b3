// New snapshots while every connection is busy: nothing fails, and no answer is torn. None leaves memory
// behind.

import assert from 'node:assert/strict';
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { type Build, Builds, corrupt } from '../support/load/builds.ts';
import { describeFailures, Load } from '../support/load/load.ts';
import { mixedRequests } from '../support/load/mix.ts';
import { writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { assertNoLeak, GIVES_BACK } from './support/leaks.ts';
import { scaled, sleep } from './support/scale.ts';
import { Witness } from './support/witness.ts';

const ADVISORIES = scaled(5_000, 2_000);
const CONNECTIONS = 64;
const SWAPS = scaled(15, 6); // one every 2 s
const SWAPS_A_ROUND = 2;
const SWAP_EVERY_MS = 2_000;
const QUIET_MS = scaled(10_000, 4_000);
// Leaves the two cores of a small machine some idle time, so that latencies are meaningful.
const PAUSE_MS = 20;

test('under new snapshots no request fails and no answer is torn', async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const builds = new Builds(join(folder, 'builds'), ADVISORIES, 31);
  const prepared: Build[] = [];
  for (let number = 0; number <= SWAPS; number++) prepared.push(await builds.compile(number));
  const [first, ...others] = prepared as [Build, ...Build[]];
  const witness = new Witness();
  witness.publish(first);
  renameSync(first.path, join(snapshots, 'build-0.vdx'));
  const access = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, { snapshots, keys: access.file, workers: 2 });
  const load = new Load({
    port: server.port,
    connections: CONNECTIONS,
    next: mixedRequests(builds.records, access.free, 5),
    judge: witness.judge,
    pauseMs: PAUSE_MS,
  });
  await sleep(2_000);
  load.turn(); // excludes the remaining cost of just-in-time compilation
  await sleep(QUIET_MS);
  const quiet = load.turn();
  let sound = 0;
  for (const [place, build] of others.entries()) {
    const isBad = place % 3 === 2;
    if (isBad) corrupt(build.path);
    else witness.publish(build);
    if (!isBad) sound++;
    const target = join(snapshots, `build-${build.number}.vdx`);
    if (place % 4 === 1) await copySlowly(build.path, target);
    else renameSync(build.path, target);
    await sleep(place % 4 === 1 ? SWAP_EVERY_MS - SLOW_COPY_MS : SWAP_EVERY_MS);
  }
  const busy = await load.stop();

  t.diagnostic(`without swaps: ${quiet.summary()}`);
  t.diagnostic(`with a swap every 2 s: ${busy.summary()}`);
  t.diagnostic(`${witness.markers} markers compared`);
  t.diagnostic(`${server.logged('snapshot loaded').length} loads, ${refusals(server)} refusals`);
  assert.equal(load.failures.length, 0, describeFailures(load.failures));
  assert.equal(server.logged('snapshot loaded').length, sound + 1, 'one load per sound snapshot');
  assert.equal(refusals(server), SWAPS - sound, 'one refusal, logged once, per corrupt snapshot');
  const newestSound = others.filter((_, place) => place % 3 !== 2).at(-1) as Build;
  assert.equal(witness.newest, newestSound.number);
  assert.equal(await server.stop(), 0);
  assert.equal(server.errors, '');
});

test('a snapshot that was replaced leaves no memory behind', async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const builds = new Builds(join(folder, 'builds'), ADVISORIES, 31);
  renameSync((await builds.compile(0)).path, join(snapshots, '0.vdx'));
  const access = writeAccess(join(folder, 'keys.json'));
  // Memory must be that of one generation again after each swap.
  const options = { 'keep-generations': 0 };
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers: 2,
    options,
    launcher: GIVES_BACK,
  });
  let swaps = 0;
  await assertNoLeak(t, server, 'swap', async () => {
    for (let i = 0; i < SWAPS_A_ROUND; i++) {
      const { path } = await builds.compile(++swaps);
      renameSync(path, join(snapshots, `${swaps}.vdx`));
      await server.told('snapshot checked', swaps + 1);
    }
    const next = mixedRequests(builds.records, access.free, 5);
    await new Load({ port: server.port, connections: 8, next, requests: 400 }).finished();
  });
  assert.equal(await server.stop(), 0);
});

const SLOW_COPY_MS = 600;

/** In four pieces, as a copy over a network would arrive. */
async function copySlowly(from: string, to: string): Promise<void> {
  const bytes = readFileSync(from);
  const fd = openSync(to, 'w');
  for (let piece = 0; piece < 4; piece++) {
    writeSync(fd, bytes.subarray((bytes.length * piece) >> 2, (bytes.length * (piece + 1)) >> 2));
    await sleep(SLOW_COPY_MS / 4);
  }
  closeSync(fd);
}

test('of many snapshots added at once the newest is served', async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const builds = new Builds(join(folder, 'builds'), 1_000, 32);
  const witness = new Witness();
  const access = writeAccess(join(folder, 'keys.json'));
  const prepared: Build[] = [];
  for (let number = 0; number < 10; number++) prepared.push(await builds.compile(number));
  for (const build of prepared) witness.publish(build);
  copyFileSync((prepared[0] as Build).path, join(snapshots, 'a.vdx'));
  const server = await ServerProcess.start(t, { snapshots, keys: access.file, workers: 2 });
  const next = mixedRequests(builds.records, access.free, 6);
  const load = new Load({ port: server.port, connections: 8, next, judge: witness.judge, pauseMs: 10 });
  await sleep(500);
  for (const { path, number } of prepared) renameSync(path, join(snapshots, `${number}.vdx`));
  await sleep(4_000);
  await load.stop();
  assert.equal(load.failures.length, 0, describeFailures(load.failures));
  assert.equal(witness.newest, 9);
  assert.equal(await server.stop(), 0);
});

function refusals(server: ServerProcess): number {
  return server.logged('snapshot refused').length;
}
