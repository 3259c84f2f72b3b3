// A server that follows a source, from an empty folder on: what it serves, when, and what it says about it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { Manifest } from '../../src/fleet/manifest.ts';
import { readSnapshotHeader } from '../../src/loader/snapshot/reader.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { publishTo } from '../support/fleet/memory-store.ts';
import { startWebStore, type WebStore } from '../support/fleet/web-store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pluck } from '../support/pluck.ts';
import { writeAccess } from '../support/process/access.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';
import { until } from '../support/until.ts';

const entry = builtProgram();
const BUILT_AT_MS = Date.UTC(2026, 0, 10);
const DAY_MS = 86_400_000;
/** What tests of a day need; the machine's clock is the server's. */
const LIFE_MS = 30 * DAY_MS;

interface Built {
  readonly id: string;
  readonly bytes: Uint8Array;
}

interface Scene {
  readonly store: WebStore;
  readonly folder: string;
  readonly builds: readonly Built[];
  readonly publish: (sequence: number, build: Built, change?: Partial<Manifest>) => void;
  readonly start: (options?: Record<string, string>) => Promise<ServerProcess>;
}

async function sceneOf(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const store = await startWebStore(t);
  const access = writeAccess(join(folder, 'keys.json'));
  const builds: Built[] = [];
  for (const day of [1, 2, 3]) {
    const records = Array.from({ length: day }, (_, i) => feedRecord(i + 1));
    const options = { name: `${day}.vdx`, builtAtMs: BUILT_AT_MS + day * DAY_MS };
    const file = await compileRecords(folder, records, options);
    builds.push({ id: readSnapshotHeader(file).id, bytes: readFileSync(file) });
  }
  return {
    store,
    folder,
    builds,
    publish: (sequence, { id, bytes }, change = {}) => {
      const nowMs = Date.now();
      const published_at = new Date(nowMs).toISOString();
      const expires = new Date(nowMs + LIFE_MS).toISOString();
      publishTo(store, { sequence, id, bytes, change: { published_at, expires, ...change } });
    },
    start: (options = {}) =>
      ServerProcess.start(t, {
        snapshots: join(folder, 'snapshots'),
        keys: access.file,
        workers: 1,
        entry,
        options: { source: store.url.href, 'source-interval': '1', ...options },
      }),
  };
}

async function sourceOf(server: ServerProcess): Promise<Record<string, unknown> & { manifest: never }> {
  return JSON.parse((await server.ops('status')).text).source;
}

async function isReadyWith(server: ServerProcess, id: string): Promise<boolean> {
  const { status } = await fetch(`http://127.0.0.1:${server.port}/readyz?snapshot=${id}`);
  return status === 200;
}

suite('a server with a source', { concurrency: true }, () => {
  test('begins with nothing, serves what is published, and a restart downloads nothing', async (t) => {
    const { store, builds, publish, start } = await sceneOf(t);
    const [first, second] = builds;
    publish(1, second);
    const server = await start();
    await until('the snapshot is live', () => isReadyWith(server, second.id));
    assert.equal((await server.ops('readyz')).status, 200);
    const source = await sourceOf(server);
    assert.equal(source.url, store.url.href);
    assert.deepEqual([source.sequence, (source.manifest as { state: string }).state], [1, 'live']);
    publish(2, first); // an older build
    await until('the older build is live', () => isReadyWith(server, first.id));
    assert.equal((await server.told('snapshot loaded', 2)).at(-1)?.reason, 'manifest');
    assert.equal(await server.metric('vulndex_source_sequence'), 2);
    assert.equal(
      await server.metric('vulndex_source_fetched_bytes_total'),
      first.bytes.length + second.bytes.length,
    );
    assert.equal(await server.stop(), 0);
    store.sentBytes = 0;
    const again = await start();
    assert.ok(await isReadyWith(again, first.id), 'at once, and not the newest build');
    const polls = store.asked.length;
    await until('it has asked', () => store.asked.length > polls + 1);
    assert.equal(store.sentBytes, 0);
    assert.equal(await again.stop(), 0);
  });

  test('a manifest with the id of another snapshot is refused by its code', async (t) => {
    const { builds, publish, start } = await sceneOf(t);
    const [first, second] = builds;
    publish(1, { id: second.id, bytes: first.bytes });
    const server = await start();
    await until('it is refused', async () => {
      const { manifest } = await sourceOf(server);
      return (manifest as { state?: string } | undefined)?.state === 'refused';
    });
    assert.match(JSON.stringify(await sourceOf(server)), /"wrong-id"/);
    publish(2, first);
    await until('the right one is live', () => isReadyWith(server, first.id));
    assert.equal(await server.stop(), 0);
  });

  test('a snapshot with a time is prepared, and live when the time has come', async (t) => {
    const { builds, publish, start } = await sceneOf(t);
    const [first, second] = builds;
    publish(1, first);
    const server = await start();
    await until('the first is live', () => isReadyWith(server, first.id));
    const later = new Date(Date.now() + 3_600_000).toISOString();
    publish(2, second, { activate_at: later });
    await until(
      'it is prepared',
      async () => ((await sourceOf(server)).manifest as { state: string }).state === 'prepared',
    );
    assert.ok(await isReadyWith(server, first.id));
    const activateAtMs = Date.now() + 1_000;
    publish(3, second, { activate_at: new Date(activateAtMs).toISOString() });
    await until('the second is live', () => isReadyWith(server, second.id));
    const [, live] = await server.told('snapshot loaded', 2);
    const lateMs = Date.parse(String(live.time)) - activateAtMs;
    t.diagnostic(`live ${lateMs} ms after its time`);
    assert.ok(lateMs >= 0, `${lateMs}`);
    assert.equal(await server.stop(), 0);
  });

  test('what cannot be followed is named once, and what is live stays live', async (t) => {
    const { store, builds, publish, start } = await sceneOf(t);
    const [first, second, third] = builds;
    publish(2, first);
    const server = await start();
    await until('the first is live', () => isReadyWith(server, first.id));
    const conditions = async (): Promise<string> =>
      JSON.parse((await server.ops('status')).text)
        .conditions.map(({ condition, reason }: Record<string, string>) =>
          `${condition} ${reason ?? ''}`.trim(),
        )
        .join();
    const polls = async (): Promise<number> => server.metric('vulndex_source_polls_total');
    const staysWith = async (told: string): Promise<void> => {
      await until(told, async () => (await conditions()) === told);
      const before = await polls();
      await until('it has asked again', async () => (await polls()) > before);
      assert.ok(await isReadyWith(server, first.id));
      assert.equal((await server.ops('readyz')).status, 200);
    };
    store.status = 403;
    await staysWith('source_unreachable');
    store.status = undefined;
    publish(1, second);
    await staysWith('source_refused older-sequence');
    const cut = third.bytes.subarray(0, third.bytes.length - 1);
    publish(3, { id: third.id, bytes: cut });
    await until(
      'it is refused',
      async () => ((await sourceOf(server)).manifest as { state: string }).state === 'refused',
    );
    assert.ok(await isReadyWith(server, first.id));
    publish(4, second);
    await until('the second is live', () => isReadyWith(server, second.id));
    assert.equal(await conditions(), '');
    assert.equal(await server.stop(), 0);
    const begun = server.log.filter(
      ({ level, condition }) => level >= 40 && String(condition).startsWith('source'),
    );
    assert.deepEqual(pluck(begun, 'condition'), ['source_unreachable', 'source_refused']);
  });

  test('neither the password nor the query of its URL is shown, whether it answers or not', async (t) => {
    const { store, builds, publish, start } = await sceneOf(t);
    publish(1, builds[0]);
    const url = new URL('?sig=hidden-query', store.url);
    Object.assign(url, { username: 'hidden-user', password: 'hidden-password' });
    const server = await start({ source: url.href });
    const shownAt = async (path: 'operations' | 'status' | 'metrics') => {
      const { text } = await server.ops(path);
      assert.doesNotMatch(text, /hidden/, path);
      return text;
    };
    const operations = async () => JSON.parse(await shownAt('operations')).source;
    await until('it is live', async () => (await operations()).manifest?.state === 'live');
    assert.equal((await operations()).url, store.url.href);
    store.status = 403;
    await until('the problem is shown', async () => (await operations()).problem?.kind === 'store');
    for (const path of ['status', 'metrics'] as const) await shownAt(path);
    assert.doesNotMatch(JSON.stringify(server.log), /hidden/);
    assert.equal(await server.stop(), 0);
  });
});
