// Requests that name a snapshot, and prepared files, in a real process with two workers: they agree across
// swaps, and so does a worker that was replaced meanwhile.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { canSharePort } from '../../src/http/transport/transports.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pluck } from '../support/pluck.ts';
import { writeAccess } from '../support/process/access.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { USUAL_TRANSPORTS } from '../support/serving/transports.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';
import { until } from '../support/until.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 10);
const ITEMS = 30;

const program = builtProgram();

interface Answer {
  readonly status: number;
  readonly snapshot: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
  readonly body: any;
}

interface Scene {
  readonly server: ServerProcess;
  /** Publishes the next snapshot, in which each title has its number. */
  publish(): Promise<void>;
  /** On a new connection, so that any worker may answer. */
  ask(path: string, body?: string): Promise<Answer>;
}

async function start(t: TestContext, transport: string, workers: number): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  let number = 0;
  const compile = async (): Promise<void> => {
    number++;
    // Each snapshot lacks the oldest advisory of the one before it and has a new one.
    const records = Array.from({ length: ITEMS }, (_, i) =>
      feedRecord(number + i, { title: `In ${number}` }),
    );
    const name = `${number}.vdx`;
    const path = await compileRecords(folder, records, { name, builtAtMs: BUILT_AT_MS + number });
    renameSync(path, join(snapshots, name));
  };
  await compile();
  const access = writeAccess(join(folder, 'keys.json'));
  const options = { transport, 'keep-generations': 2, mounts: 'patchstack,patchstack-flat' };
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers,
    entry: program,
    options,
  });
  return {
    server,
    publish: async () => {
      const wanted = number + 1;
      await compile();
      await until('it to be loaded', () => server.logged('snapshot loaded').length === wanted);
      await until('changes', () => server.logged('changes are listed').length === wanted - 1);
    },
    ask: async (path, body) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        headers: { PSKey: access.free, Connection: 'close' },
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      const snapshot = response.headers.get('etag')?.slice(1, 17);
      return { status: response.status, snapshot, body: await response.json() };
    },
  };
}

for (const { kind, skip } of USUAL_TRANSPORTS) {
  const workers = canSharePort(kind) ? 2 : 1;
  test(`over ${kind}, a walk, lookups and changes that name a snapshot agree across two swaps and a new worker`, {
    skip,
  }, async (t) => {
    const { server, publish, ask } = await start(t, kind, workers);
    const first = await ask('/all?cursor=&per_page=4');
    const pin = `snapshot=${first.snapshot}`;
    const seen: { readonly id: number; readonly title: string }[] = [...first.body.vulnerabilities];
    let { cursor } = first.body;
    const walk = async (pages: number): Promise<void> => {
      for (let page = 0; page < pages && cursor.has_more; page++) {
        const { status, snapshot, body } = await ask(`/all?${pin}&per_page=4&cursor=${cursor.next_cursor}`);
        assert.deepEqual([status, snapshot], [200, first.snapshot]);
        seen.push(...body.vulnerabilities);
        cursor = body.cursor;
      }
    };
    await walk(2);
    await publish();
    await walk(2);
    await publish();
    const { snapshot: live } = await ask('/all?per_page=1');
    await until('the files of the live snapshot', async () => {
      return JSON.parse((await server.ops('status')).text).prepared?.id === live;
    });
    server.signal('SIGUSR2'); // a worker throws, and another replaces it
    await until('the worker to be replaced', () => server.logged('worker is replaced').length === 1);
    await until('all workers to serve', async () => {
      const { workers } = JSON.parse((await server.ops('status')).text);
      return workers.every(({ state }: { state: string }) => state === 'serving');
    });
    await walk(ITEMS);
    assert.deepEqual(
      pluck(seen, 'id'),
      Array.from({ length: ITEMS }, (_, i) => ITEMS - i),
    );
    assert.deepEqual(new Set(seen.map(({ title }) => title)), new Set(['In 1']));

    const { kept } = JSON.parse((await server.ops('status')).text);
    assert.equal(kept.length, 3);
    assert.equal(kept[2], first.snapshot);
    for (const [place, id] of kept.entries()) {
      for (let turn = 0; turn < 8; turn++) {
        const item = '{"type":"plugin","name":"gallery","version":"1.0"}';
        const product = await ask(`/product/plugin/gallery/1.0?snapshot=${id}`);
        const exists = await ask(`/product/plugin/gallery/1.0/exists?snapshot=${id}`);
        const batch = await ask(`/batch?snapshot=${id}`, `[${item}]`);
        assert.deepEqual(product.body.vulnerabilities, batch.body[0].vulnerabilities);
        assert.equal(product.body.vulnerabilities[0].title, `In ${3 - place}`);
        assert.deepEqual([product.snapshot, exists.snapshot, exists.body.vulnerable], [id, id, true]);
        const { status, body } = await ask(`/changes?since=${first.snapshot}&snapshot=${id}`);
        assert.equal(status, 200);
        // All titles differ; with each snapshot one advisory is added and one removed.
        assert.equal(body.changes.length, place === 2 ? 0 : ITEMS + 2 - place);
      }
    }
    for (let turn = 0; turn < 8; turn++) {
      const file = await ask('/database/api/v2/all');
      assert.deepEqual([file.status, file.snapshot, file.body.vulnerabilities.length], [200, kept[0], ITEMS]);
      const pinned = await ask(`/database/api/v2/all?snapshot=${kept[0]}`);
      assert.deepEqual(pinned, file);
      assert.equal((await ask(`/database/api/v2/all?snapshot=${kept[1]}`)).status, 412);
      const counts = await ask('/statistics');
      assert.deepEqual([counts.status, counts.snapshot, counts.body.snapshot], [200, kept[0], kept[0]]);
      assert.deepEqual(pluck(counts.body.kept, 'id'), kept);
      assert.equal((await ask(`/statistics?snapshot=${kept[1]}`)).status, 412);
    }
    await until('the log', () => server.logged('files are prepared').some(({ id }) => id === kept[0]));
    const files = server.logged('files are prepared').find(({ id }) => id === kept[0]);
    assert.deepEqual(files?.files, ['patchstack/statistics', 'patchstack-flat/all']);
    assert.equal(await server.metric('vulndex_prepared_bytes'), files?.bytes);
    assert.equal(await server.metric('vulndex_preparer_failures_total'), 0);

    await publish();
    const released = await ask(`/all?${pin}`);
    assert.equal(released.status, 412);
    assert.deepEqual(released.body.snapshots, JSON.parse((await server.ops('status')).text).kept);
    assert.equal(await server.metric('vulndex_snapshots_kept'), 3);
    assert.equal(await server.stop(), 0);
    assert.equal(server.errors, '');
  });
}
