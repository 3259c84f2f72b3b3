// Two replicas behind a real HAProxy: clients notice neither a restart of both nor the rollout of a snapshot.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isListed } from '../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Build, Builds } from '../support/load/builds.ts';
import { describeFailures, type Exchange, judgeStatus, Load } from '../support/load/load.ts';
import { get, mixedRequests } from '../support/load/mix.ts';
import { type Access, writeAccess } from '../support/process/access.ts';
import { Haproxy, hasHaproxy, NOTICE_MS } from '../support/process/haproxy.ts';
import { HttpSocket, headerOf } from '../support/process/http-socket.ts';
import { freePort } from '../support/process/ports.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { scaled, sleep, within } from './support/scale.ts';

const skip = hasHaproxy() ? false : 'haproxy is not installed';
const DRAIN_SECONDS = 2; // longer than HAProxy needs to notice
const STEP_MS = scaled(5_000, 1_500);

interface Replica {
  server: ServerProcess;
  readonly snapshots: string;
  readonly port: number;
}

interface Scene {
  readonly replicas: readonly [Replica, Replica];
  readonly builds: Builds;
  readonly access: Access;
  readonly haproxy: Haproxy;
}

test('no request fails while both replicas restart and a snapshot is rolled out', { skip }, async (t) => {
  const { replicas, builds, access, haproxy } = await prepare(t);
  const second = await builds.compile(2);
  const answeredBy = new Map<string, number>();
  const load = new Load({
    port: haproxy.port,
    connections: 16,
    next: mixedRequests(builds.records, access.free, 9),
    judge: (exchange) => {
      count(answeredBy, exchange);
      return judgeStatus(exchange);
    },
    pauseMs: 10,
  });
  await sleep(STEP_MS);
  for (const replica of replicas) {
    assert.equal(await replica.server.stop(), 0, 'a replica stops cleanly');
    await sleep(STEP_MS);
    replica.server = await startReplica(t, access, replica);
    await sleep(Math.max(STEP_MS, NOTICE_MS));
  }
  for (const { snapshots, server } of replicas) {
    copyFileSync(second.path, join(snapshots, '2.vdx'));
    await within('the new snapshot is loaded', 10_000, () => server.logged('snapshot loaded').length === 2);
    await sleep(STEP_MS);
  }
  const times = await load.stop();

  t.diagnostic(times.summary());
  t.diagnostic(`answers by snapshot: ${[...answeredBy].map(([id, n]) => `${id} ${n}`).join(', ')}`);
  assert.equal(load.failures.length, 0, `${describeFailures(load.failures)}\n${haproxy.messages}`);
  assert.equal(answeredBy.size, 2, 'answers of both snapshots were seen');
  for (const { server } of replicas) assert.equal(await server.stop(), 0);
});

test('a cursor walk over replicas on different snapshots shows what both have exactly once', {
  skip,
}, async (t) => {
  const { replicas, builds, access, haproxy } = await prepare(t);
  // The first replica stays on a complete snapshot; the second one's lacks every third advisory.
  const isMissing = (id: number): boolean => id % 3 === 0;
  const second = await builds.compile(2, isMissing);
  copyFileSync(second.path, join(replicas[1].snapshots, '2.vdx'));
  await within('the second replica is ahead', 10_000, () => {
    return replicas[1].server.logged('snapshot loaded').length === 2;
  });
  const socket = new HttpSocket(haproxy.port);
  for (const platform of ['wordpress', 'npm'] as const) {
    const seen: number[] = [];
    const tags = new Map<string, number>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const path = `/all?platform=${platform}&per_page=7&cursor=${cursor}`;
      const { status, head, body } = await socket.request(get(path, access.free), 5_000);
      assert.equal(status, 200, body.toString());
      const page = JSON.parse(body.toString()) as Page;
      seen.push(...page.vulnerabilities.map(({ id }) => id));
      cursor = page.cursor.next_cursor;
      const tag = headerOf(head, 'ETag') ?? '';
      tags.set(tag, (tags.get(tag) ?? 0) + 1);
    }
    const held = builds.records.filter((record) => isListed(record, platform)).map(({ id }) => id);
    const common = held.filter((id) => !isMissing(id));
    assert.equal(tags.size, 2, 'the walk switched between the replicas');
    assert.equal(new Set(seen).size, seen.length, 'no duplicates');
    assert.deepEqual(
      common.filter((id) => !seen.includes(id)),
      [],
      'nothing that both have is skipped',
    );
    const pages = [...tags.values()].join(' and ');
    t.diagnostic(`${platform}: ${seen.length} advisories in ${pages} pages; both have ${common.length}`);
  }
  socket.close();
});

interface Page {
  readonly vulnerabilities: readonly { readonly id: number }[];
  readonly cursor: { readonly next_cursor: string | null };
}

async function prepare(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const builds = new Builds(join(folder, 'builds'), scaled(3_000, 1_000), 37);
  const access = writeAccess(join(folder, 'keys.json'));
  const first = await builds.compile(1);
  const replicas = [
    await makeReplica(t, access, join(folder, 'a'), first),
    await makeReplica(t, access, join(folder, 'b'), first),
  ] as const;
  const haproxy = await Haproxy.start(t, [replicas[0].port, replicas[1].port]);
  return { replicas, builds, access, haproxy };
}

async function makeReplica(t: TestContext, access: Access, folder: string, build: Build): Promise<Replica> {
  mkdirSync(folder);
  copyFileSync(build.path, join(folder, '1.vdx'));
  const place = { snapshots: folder, port: await freePort() };
  return { ...place, server: await startReplica(t, access, place) };
}

function startReplica(
  t: TestContext,
  access: Access,
  { snapshots, port }: Pick<Replica, 'snapshots' | 'port'>,
): Promise<ServerProcess> {
  const keys = access.file;
  return ServerProcess.start(t, { snapshots, keys, port, workers: 2, drainSeconds: DRAIN_SECONDS });
}

function count(answeredBy: Map<string, number>, { reply }: Exchange): void {
  const id = headerOf(reply.head, 'ETag')?.slice(1, 17);
  if (id !== undefined) answeredBy.set(id, (answeredBy.get(id) ?? 0) + 1);
}
