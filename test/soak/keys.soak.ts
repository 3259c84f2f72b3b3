// The keys file of a running server under stress: very many keys, a FIFO in its place, storage that stops
// answering.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hashKey, type KeysFile } from '../../src/access/keys-file.ts';
import { figure } from '../support/figure.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Builds, MARKER_SLUG } from '../support/load/builds.ts';
import { describeFailures, Load } from '../support/load/load.ts';
import { get } from '../support/load/mix.ts';
import { type Access, writeAccess } from '../support/process/access.ts';
import { HttpSocket } from '../support/process/http-socket.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { assertNoLeak, GIVES_BACK, restingBytes } from './support/leaks.ts';
import { MIB } from './support/process-figures.ts';
import { scaled, sleep, within } from './support/scale.ts';

const SOURCE = 'keys';
const KEYS = scaled(300_000, 100_000);
const KEYS_A_ROUND = 50_000;
const WORKERS = 4;
const EXISTS = `/product/plugin/${MARKER_SLUG}/1.0.0/exists`;
const WORST_MS = 500; // for an exists while keys change: it was 2,400 when the workers built the keys
const TAKEN_MS = 60_000; // on a shared machine
const KEY_BYTES = 150; // per key, in all threads together
const SPARE_BYTES = 150 << 20; // what malloc and V8 keep for good after preparing them

interface Scene {
  readonly folder: string;
  readonly access: Access;
  readonly server: ServerProcess;
}

async function start(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const build = await new Builds(join(folder, 'builds'), 300, 34).compile(1);
  renameSync(build.path, join(snapshots, '1.vdx'));
  const access = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers: WORKERS,
    launcher: GIVES_BACK,
  });
  return { folder, access, server };
}

async function statusOf({ server }: Scene, key: string): Promise<number> {
  const socket = new HttpSocket(server.port);
  const { status } = await socket.request(get(EXISTS, key), 10_000);
  socket.close();
  return status;
}

/** Makes a keys file with a new key and that many others; returns what puts it in place at once. */
function prepareKeys({ access }: Scene, key: string, others: number): () => void {
  const file = JSON.parse(readFileSync(access.file, 'utf8')) as KeysFile;
  const [free] = file.keys;
  assert.ok(free !== undefined);
  const made = [key, ...Array.from({ length: others }, (_, i) => `other-${i}`)].map((text) => {
    return { id: `k_${text}`, name: `For ${text}`, sha256: hashKey(text), tier: 'free' };
  });
  const prepared = `${access.file}.${key}`;
  writeFileSync(prepared, JSON.stringify({ ...file, keys: [free, ...made] }));
  return () => renameSync(prepared, access.file);
}

test(`${KEYS} keys become active while requests continue, as one copy for all workers`, async (t) => {
  const scene = await start(t);
  const { server, access } = scene;
  const before = await restingBytes(server);
  // The load runs in this process: what is prepared beside it would count as the server's time.
  const changes = ['first', 'second'].map((key) => ({ key, replace: prepareKeys(scene, key, KEYS) }));
  const load = new Load({
    port: server.port,
    connections: 8,
    next: () => get(EXISTS, access.free),
    pauseMs: 10,
  });
  try {
    for (const { key, replace } of changes) {
      replace();
      const tookMs = await within(
        'the keys are active',
        TAKEN_MS,
        async () => (await statusOf(scene, key)) === 200,
      );
      t.diagnostic(`active after ${(tookMs / 1000).toFixed(1)} s`);
    }
    assert.equal(await statusOf(scene, 'first'), 401);
    assert.equal(await statusOf(scene, `other-${KEYS - 1}`), 200);
  } finally {
    const times = await load.stop();
    t.diagnostic(`exists: ${times.summary()}`);
    assert.equal(load.failures.length, 0, describeFailures(load.failures));
    const name = `${SOURCE}: the slowest exists`;
    figure(t, { source: SOURCE, name, value: times.at(100), unit: 'ms', ceiling: WORST_MS });
  }
  figure(t, {
    source: SOURCE,
    name: `${SOURCE}: memory for ${KEYS} keys`,
    value: ((await restingBytes(server)) - before) / MIB,
    unit: 'MiB',
    ceiling: (KEYS * KEY_BYTES + SPARE_BYTES) / MIB,
  });
  let change = 0;
  // One copy for all workers, and each replaces the one before in every thread.
  await assertNoLeak(t, server, SOURCE, async () => {
    const key = `more-${change++}`;
    prepareKeys(scene, key, KEYS_A_ROUND)();
    await within('the keys are active', TAKEN_MS, async () => (await statusOf(scene, key)) === 200);
  });
  assert.equal(await server.stop(), 0);
});

test('a FIFO in place of the keys file blocks neither watching nor stopping', async (t) => {
  const scene = await start(t);
  const { server, access } = scene;
  const good = readFileSync(access.file);
  rmSync(access.file);
  execFileSync('mkfifo', [access.file]);
  await within('the FIFO is refused', 10_000, () =>
    server.log.some(({ msg }) => /keys file refused/.test(msg)),
  );
  assert.equal(await statusOf(scene, access.free), 200);
  writeFileSync(`${access.file}.new`, good);
  renameSync(`${access.file}.new`, access.file);
  prepareKeys(scene, 'after', 0)();
  await within('the keys are active', 10_000, async () => (await statusOf(scene, 'after')) === 200);
  rmSync(access.file);
  execFileSync('mkfifo', [access.file]);
  await sleep(1_000);
  assert.equal(await server.stop(), 0);
});

// Loaded into the server before it starts: while a given file exists, stat of the keys file blocks in the
// thread pool forever, as with storage that is gone.
const STALLING = `
  import { existsSync } from 'node:fs';
  import promises from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const { stat, open } = promises;
  promises.stat = async (path, options) => {
    if (String(path).endsWith('keys.json') && existsSync(path + '.stalls')) await open(path + '.stalls', 'r');
    return stat(path, options);
  };
  syncBuiltinESMExports();
`;

test('stalled storage shows in the log and the metrics, and the process still stops on request', async (t) => {
  const { NODE_OPTIONS } = process.env;
  process.env.NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(STALLING)}`;
  t.after(() => {
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = NODE_OPTIONS;
  });
  const scene = await start(t);
  const { server, access } = scene;
  assert.equal(await server.metric('vulndex_keys_file_stalled'), 0);
  const stalls = `${access.file}.stalls`;
  execFileSync('mkfifo', [stalls]);
  await within('the stall is in the log', 30_000, () => server.logged(STALLED).length > 0);
  assert.equal(await server.metric('vulndex_keys_file_stalled'), 1);
  assert.equal(await statusOf(scene, access.free), 200);

  renameSync(stalls, `${stalls}.gone`);
  writeFileSync(`${stalls}.gone`, ''); // a writer unblocks whoever waits for one
  await within(
    'watching resumes',
    10_000,
    async () => (await server.metric('vulndex_keys_file_stalled')) === 0,
  );
  prepareKeys(scene, 'after', 0)();
  await within('the keys are active', 10_000, async () => (await statusOf(scene, 'after')) === 200);

  execFileSync('mkfifo', [stalls]);
  assert.ok(existsSync(stalls));
  await sleep(1_000); // the next check has begun
  const startMs = performance.now();
  assert.equal(await server.stop(), 'SIGKILL', 'its own, as Node would wait for the storage');
  assert.ok(performance.now() - startMs < 10_000);
  assert.equal((await server.told('stopped')).length, 1);
  assert.equal(
    server.log.at(-1)?.msg,
    'the storage of the keys file still does not answer; the process ends by SIGKILL',
  );
});

const STALLED = 'the storage of the keys file does not answer; key changes are not seen until it does';
