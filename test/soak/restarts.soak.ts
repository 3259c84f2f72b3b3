// Two replicas without a proxy, restarted one after the other, twice, under requests from keep-alive clients
// of two HTTP libraries. The clients do not retry: they pick a replica again when a reply says that its
// connection ends.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { Builds, MARKER_SLUG } from '../support/load/builds.ts';
import { writeAccess } from '../support/process/access.ts';
import { freePort } from '../support/process/ports.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { scaled, sleep, within } from './support/scale.ts';

const REQUESTS = scaled(20_000, 3_000);
const ROLLS = 2;
const CLIENTS = 16; // per library
const PAUSE_MS = 10;
const DRAIN_SECONDS = 2;
const LOOK_MS = 100; // at /readyz, like a service registry or a DNS balancer
const PATH = `/product/plugin/${MARKER_SLUG}/1.0.0/exists`;

interface Replica {
  readonly port: number;
  readonly opsPort: number;
  server: ServerProcess;
  isReady: boolean;
}

/** What a client learns from a reply. */
interface Told {
  readonly status: number;
  readonly isLast: boolean;
}

type Ask = (port: number) => Promise<Told>;

test('rolling restarts without a proxy fail no request of keep-alive clients', async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const build = await new Builds(join(folder, 'builds'), 500, 41).compile(1);
  renameSync(build.path, join(snapshots, '1.vdx'));
  const access = writeAccess(join(folder, 'keys.json'));
  const start = (port: number, opsPort: number): Promise<ServerProcess> =>
    ServerProcess.start(t, {
      snapshots,
      keys: access.file,
      workers: 2,
      port,
      opsPort,
      drainSeconds: DRAIN_SECONDS,
    });
  const replicas: Replica[] = [];
  for (let i = 0; i < 2; i++) {
    const [port, opsPort] = [await freePort(), await freePort()];
    replicas.push({ port, opsPort, server: await start(port, opsPort), isReady: true });
  }
  const looking = setInterval(() => {
    for (const replica of replicas) void look(replica);
  }, LOOK_MS);
  t.after(() => clearInterval(looking));

  const failures: string[] = [];
  const served = new Map<number, number>();
  let requests = 0;
  let isOver = false;
  const run = async (library: string, ask: Ask): Promise<void> => {
    let replica = choose(replicas);
    while (!isOver) {
      requests++;
      try {
        const { status, isLast } = await ask(replica.port);
        if (status !== 200) failures.push(`${library}: status ${status}`);
        served.set(replica.server.pid, (served.get(replica.server.pid) ?? 0) + 1);
        if (isLast) replica = choose(replicas);
      } catch (error) {
        failures.push(`${library}: ${causeOf(error)}`);
        replica = choose(replicas);
      }
      await sleep(PAUSE_MS);
    }
  };
  const agents = Array.from({ length: CLIENTS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const clients = [
    ...agents.map((agent) => run('node:http', (port) => askWithAgent(agent, port, access.free))),
    ...agents.map(() => run('fetch', (port) => askWithFetch(port, access.free))),
  ];
  await sleep(1_000);
  const stops: number[] = [];
  for (let roll = 0; roll < ROLLS; roll++) {
    for (const replica of replicas) {
      const startMs = performance.now();
      assert.equal(await replica.server.stop(), 0, 'a replica stops cleanly');
      stops.push(performance.now() - startMs);
      replica.server = await start(replica.port, replica.opsPort);
      await within('it to be ready', 10_000, () => replica.isReady);
      await sleep(500);
    }
  }
  await within('enough requests', 120_000, () => requests >= REQUESTS);
  isOver = true;
  await Promise.all(clients);
  for (const agent of agents) agent.destroy();

  t.diagnostic(`${requests} requests, ${failures.length} failed, answered by ${served.size} processes`);
  t.diagnostic(`stopping took ${stops.map((ms) => (ms / 1000).toFixed(1)).join(', ')} s`);
  assert.deepEqual(failures, []);
  // No client leaves a replica that stays up, so the last to start may have no clients yet.
  assert.ok(served.size >= 1 + 2 * ROLLS, `${served.size} processes answered`);
  for (const { server } of replicas) assert.equal(await server.stop(), 0);
});

async function look(replica: Replica): Promise<void> {
  replica.isReady = await fetch(`http://127.0.0.1:${replica.opsPort}/readyz`, {
    signal: AbortSignal.timeout(1_000),
  }).then(
    async (reply) => {
      await reply.arrayBuffer();
      return reply.status === 200;
    },
    () => false,
  );
}

/** A ready one at random; any of them if none is ready. */
function choose(replicas: readonly Replica[]): Replica {
  const ready = replicas.filter(({ isReady }) => isReady);
  const among = ready.length === 0 ? replicas : ready;
  return among[Math.floor(Math.random() * among.length)] as Replica;
}

function askWithAgent(agent: Agent, port: number, key: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path: PATH, agent, headers: { PSKey: key } }, (message) => {
      message.once('error', reject).resume();
      message.once('end', () =>
        resolve({ status: message.statusCode ?? 0, isLast: message.headers.connection === 'close' }),
      );
    })
      .once('error', reject)
      .end();
  });
}

async function askWithFetch(port: number, key: string): Promise<Told> {
  const reply = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers: { PSKey: key } });
  await reply.arrayBuffer();
  return { status: reply.status, isLast: reply.headers.get('connection') === 'close' };
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
