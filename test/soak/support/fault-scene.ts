// What the fault tests share: a server with data, a health watch, and a few well-behaved clients that must
// notice nothing.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../../support/folder.ts';
import { Builds } from '../../support/load/builds.ts';
import { describeFailures, Load } from '../../support/load/load.ts';
import { mixedRequests } from '../../support/load/mix.ts';
import { type Access, writeAccess } from '../../support/process/access.ts';
import { ServerProcess } from '../../support/process/server-process.ts';
import { HealthWatch } from './health-watch.ts';
import { GIVES_BACK } from './leaks.ts';
import { Witness } from './witness.ts';

export interface FaultScene {
  readonly folder: string;
  readonly snapshots: string;
  readonly builds: Builds;
  readonly witness: Witness;
  readonly access: Access;
  readonly server: ServerProcess;
}

export async function prepareFaults(
  t: TestContext,
  advisories: number,
  details?: string,
): Promise<FaultScene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const builds = new Builds(join(folder, 'builds'), advisories, 38, details);
  const witness = new Witness();
  const build = await builds.compile(1);
  witness.publish(build);
  renameSync(build.path, join(snapshots, '1.vdx'));
  const access = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers: 2,
    launcher: GIVES_BACK,
  });
  return { folder, snapshots, builds, witness, access, server };
}

/**
 * Runs `work` while well-behaved clients send requests and health is watched; neither may notice anything.
 */
export async function undisturbed(
  t: TestContext,
  { server, builds, access, witness }: FaultScene,
  work: () => Promise<void>,
): Promise<void> {
  const health = new HealthWatch(server);
  const load = new Load({
    port: server.port,
    connections: 4,
    next: mixedRequests(builds.records, access.free, 10),
    judge: witness.judge,
    pauseMs: 25,
  });
  try {
    await work();
  } finally {
    const times = await load.stop();
    const pings = health.stop();
    t.diagnostic(`meanwhile: ${times.summary()}; health: ${pings.summary()}`);
  }
  assert.deepEqual(health.failures, [], 'healthz answers throughout');
  assert.equal(load.failures.length, 0, describeFailures(load.failures));
  assert.equal(server.hasExited, false);
  assert.equal(server.errors, '');
}
