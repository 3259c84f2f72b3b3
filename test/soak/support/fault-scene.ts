// What the fault tests share: a server with data, a health watch, a few well-behaved clients that must
// notice nothing, and figures before and after.

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
import { mebibytes, openDescriptors, residentBytes } from './process-figures.ts';
import { sleep } from './scale.ts';
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
  // Freed pages go back to the system at once, instead of when malloc likes: what stays was leaked.
  const launcher = ['env', 'MALLOC_MMAP_THRESHOLD_=131072'];
  const server = await ServerProcess.start(t, { snapshots, keys: access.file, workers: 2, launcher });
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

export interface Figures {
  readonly bytes: number;
  readonly descriptors: number;
}

export function figuresOf({ pid }: ServerProcess): Figures {
  return { bytes: residentBytes(pid), descriptors: openDescriptors(pid) };
}

// V8 and malloc keep some memory for good; a leak of one small object per connection, for some thousand
// connections, stays below this, so descriptors are compared exactly.
const SLACK_BYTES = 48 << 20;
const SETTLE_MS = 20_000; // the listener drops idle connections after 10 to 12 s

/**
 * Waits until descriptors and memory are released: garbage is collected some seconds after traffic has become
 * quiet. What leaked stays.
 */
export async function assertNoGrowth(t: TestContext, server: ServerProcess, before: Figures): Promise<void> {
  const untilMs = performance.now() + SETTLE_MS;
  let after = figuresOf(server);
  const isReleased = (): boolean =>
    after.descriptors <= before.descriptors && after.bytes - before.bytes <= SLACK_BYTES;
  while (!isReleased() && performance.now() < untilMs) {
    await sleep(250);
    after = figuresOf(server);
  }
  t.diagnostic(
    `descriptors ${before.descriptors} to ${after.descriptors}, memory ${mebibytes(before.bytes)} to ${mebibytes(after.bytes)}`,
  );
  assert.ok(
    after.descriptors <= before.descriptors,
    `${after.descriptors - before.descriptors} descriptors leaked`,
  );
  const grownBytes = after.bytes - before.bytes;
  assert.ok(grownBytes <= SLACK_BYTES, `memory grew by ${mebibytes(grownBytes)}`);
}
