// What a process says about itself and the orders it takes, on both of its ports and over each transport: a
// reload, a roll-back and a roll-forward, on the built program.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { hashKey, type KeysFile } from '../../src/access/keys-file.ts';
import { canSharePort } from '../../src/http/transport/transports.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pluck } from '../support/pluck.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { type ServerPlan, ServerProcess } from '../support/process/server-process.ts';
import { assertMatchesOpenApi } from '../support/serving/openapi.ts';
import { USUAL_TRANSPORTS } from '../support/serving/transports.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';
import { until } from '../support/until.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 10);
const LOOK_UP = '/product/plugin/gallery/1.0';
const KEYS = { operator: 'operator-key', watcher: 'watcher-key', client: 'client-key' } as const;
type Who = keyof typeof KEYS;

const program = builtProgram();

interface Scene {
  readonly server: ServerProcess;
  readonly snapshots: string;
  readonly folder: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
type Json = any;

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly json: Json;
}

async function start(t: TestContext, plan: Partial<ServerPlan> = {}): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  for (const i of [1, 2]) {
    const records = Array.from({ length: i }, (_, id) => feedRecord(id + 1));
    await compileRecords(snapshots, records, { name: `${i}.vdx`, builtAtMs: BUILT_AT_MS + i });
  }
  const tiers: KeysFile['tiers'] = {
    operator: { endpoints: ['product', 'operations', 'operate'], rate: null },
    watcher: { endpoints: ['operations'], rate: { limit: 1_000, window_seconds: 3_600 } },
    client: { endpoints: ['product'], rate: { limit: 1_000, window_seconds: 3_600 } },
  };
  const keys = Object.entries(KEYS).map(([tier, key]) => {
    return { id: `k_${tier}`, name: tier, sha256: hashKey(key), tier };
  });
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ tiers, keys } satisfies KeysFile), {
    mode: 0o600,
  });
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: join(folder, 'keys.json'),
    workers: 1,
    entry: program,
    ...plan,
  });
  return { server, snapshots, folder };
}

async function answerOf(response: Response, method: string, path: string): Promise<Answer> {
  const body = await response.text();
  const { status, headers } = response;
  assertMatchesOpenApi({ method, path, status, headers, body });
  const json = JSON.parse(body) as Json;
  return { status, code: json.code, json };
}

async function ask({ server }: Scene, path: string, who: Who): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { PSKey: KEYS[who] } });
  return answerOf(response, 'GET', path);
}

async function order({ server }: Scene, kind: string, body: unknown, who: Who = 'operator'): Promise<Answer> {
  const path = `/operations/${kind}`;
  const headers = { PSKey: KEYS[who], 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return answerOf(await fetch(`http://127.0.0.1:${server.port}${path}`, init), 'POST', path);
}

/** On the operations port, as the console sends it. */
async function orderThere({ server }: Scene, kind: string, body: unknown = {}): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${server.opsPort}/operations/${kind}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Vulndex-Console': '1' },
    body: JSON.stringify(body),
  });
  const json = (await response.json()) as Json;
  return { status: response.status, code: json.code, json };
}

async function seenThere({ server }: Scene): Promise<Json> {
  return (await fetch(`http://127.0.0.1:${server.opsPort}/operations`)).json();
}

/** The order is repeated while the previous one is a second ago. */
async function admitted(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send();
  await until('the next order to be taken', async () => {
    if (answer.status === 429) answer = await send();
    return answer.status !== 429;
  });
  return answer;
}

async function isLive(scene: Scene, file: string): Promise<void> {
  await until(`${file} to be live`, async () => {
    const { snapshots } = await seenThere(scene);
    return snapshots.some((each: Json) => each.file === file && each.live);
  });
}

suite('operations of a real process', { concurrency: 2 }, () => {
  for (const { kind, skip } of USUAL_TRANSPORTS) {
    const workers = canSharePort(kind) ? 2 : 1;
    test(`over ${kind}, both ports show what the process does, and its figures`, { skip }, async (t) => {
      const scene = await start(t, { workers, options: { transport: kind } });
      for (let i = 0; i < 30; i++) assert.equal((await ask(scene, LOOK_UP, 'client')).status, 200);
      writeFileSync(join(scene.snapshots, '3.vdx'), 'not a snapshot');
      await until('the refusal to be shown', async () => {
        const { refused } = await seenThere(scene);
        return refused.recent.length === 1;
      });
      const { json } = await ask(scene, '/operations', 'watcher');
      assert.deepEqual(json.refused.counts, { 'foreign-file': 1 });
      assert.equal(json.refused.recent[0].file, '3.vdx');
      assert.deepEqual(
        json.snapshots.map(({ file, live }: Json) => [file, live]),
        [
          ['2.vdx', true],
          ['1.vdx', false],
        ],
      );
      assert.equal(json.transport, kind);
      assert.equal(json.workers.length, workers);
      assert.deepEqual(pluck(json.workers, 'state'), Array(workers).fill('serving'));
      assert.ok(json.memory.rss_bytes > 10_000_000 && json.memory.shared_bytes > 1_000);
      const limit = { limit: 1_000, window_seconds: 3_600 };
      const left = json.keys.shown.map(({ id, limits }: Json) => [id, limits]);
      const { remaining } = left[0][1][0];
      assert.deepEqual(left[0], ['k_client', [{ ...limit, remaining }]]);
      assert.ok(remaining >= 970 && remaining < 1_000, String(remaining)); // one comes back every 3.6 s
      assert.deepEqual([json.keys.total, left.at(-1)], [3, ['k_operator', []]]);
      await until('the hottest product', async () => {
        const [hottest] = (await seenThere(scene)).hottest;
        if (hottest === undefined || hottest.requests_per_minute < 29) return false;
        const { requests_per_minute: rate, ...product } = hottest;
        assert.deepEqual(product, { type: 'plugin', name: 'gallery', share: 1 });
        assert.ok(rate <= 31, `${rate}`); // of many in one second, every other one is counted, and twice
        return true;
      });
      const history = async (): Promise<Json> => (await ask(scene, '/operations/history', 'watcher')).json;
      await until('points of all requests', async () => {
        const { seconds } = await history();
        const sum = (column: (number | null)[]): number =>
          column.reduce<number>((all, x) => all + (x ?? 0), 0);
        return seconds.at.length >= 3 && sum(seconds.s2xx) > 29 && sum(seconds.p99_ms) > 0;
      });
      const { now, seconds } = await history();
      assert.equal(seconds.at.at(-1), now);
      assert.equal(seconds.cpu.length, workers);
      const later = (await ask(scene, `/operations/history?since=${now}`, 'watcher')).json;
      assert.ok(later.seconds.at.length < seconds.at.length);
      assert.ok(later.seconds.at.every((at: number) => at >= now));
      assert.equal(await scene.server.stop(), 0);
    });

    test(`over ${kind}, a roll-back, a roll-forward and a reload are ordered on either port`, {
      skip,
    }, async (t) => {
      const scene = await start(t, { workers, options: { transport: kind } });
      assert.deepEqual((await order(scene, 'roll-back', { file: '1.vdx' })).json, { ordered: 'roll-back' });
      await isLive(scene, '1.vdx');
      const { json } = await ask(scene, '/operations', 'operator');
      assert.equal(json.last_order.order, 'roll-back');
      await until('the roll-back to be held', async () => {
        return (await seenThere(scene)).roll_back.state === 'held';
      });
      assert.equal(JSON.parse(readFileSync(join(scene.snapshots, 'rollback.json'), 'utf8')).file, '1.vdx');
      assert.equal((await admitted(() => orderThere(scene, 'roll-forward'))).status, 202);
      await isLive(scene, '2.vdx');
      assert.equal((await admitted(() => orderThere(scene, 'roll-forward'))).code, 'not_rolled_back');

      const back = await admitted(() => orderThere(scene, 'roll-back', { file: '1.vdx' }));
      assert.deepEqual([back.status, back.json], [202, { ordered: 'roll-back' }]);
      assert.equal(
        (await seenThere(scene)).last_order.outcome,
        'done',
        'it was carried out before the answer',
      );
      await isLive(scene, '1.vdx');
      assert.equal((await admitted(() => order(scene, 'roll-forward', {}))).status, 202);
      await isLive(scene, '2.vdx');

      const third = await compileRecords(scene.folder, [feedRecord(1)], { builtAtMs: BUILT_AT_MS + 3 });
      renameSync(third, join(scene.snapshots, '3.vdx'));
      assert.equal((await admitted(() => order(scene, 'reload', {}))).status, 202);
      await isLive(scene, '3.vdx');
      assert.equal((await admitted(() => orderThere(scene, 'reload'))).status, 202);
      assert.equal((await seenThere(scene)).last_order.order, 'reload');
      assert.equal(scene.server.errors, '');
    });
  }

  test('an order that makes no sense, a wrong key and a second order at once are refused', async (t) => {
    const scene = await start(t);
    const outcomes = async (send: typeof order): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (const [kind, body] of [
        ['roll-back', { file: '9.vdx' }],
        ['roll-back', { file: '2.vdx' }],
        ['roll-back', {}],
        ['roll-back', { file: '../1.vdx' }],
        ['roll-forward', {}],
      ] as const) {
        const { status, code } = await send(scene, kind, body);
        seen.push([status, code]);
      }
      return seen;
    };
    const expected = [
      [404, 'unknown_file'],
      [409, 'already_live'],
      [422, 'invalid_parameter'],
      [422, 'invalid_parameter'],
      [409, 'not_rolled_back'],
    ];
    assert.deepEqual(await outcomes(order), expected);
    assert.deepEqual(await outcomes(orderThere), expected);
    for (const [who, path] of [
      ['client', '/operations'],
      ['client', '/operations/history'],
    ] as const)
      assert.deepEqual((await ask(scene, path, who)).code, 'forbidden_endpoint');
    for (const who of ['client', 'watcher'] as const)
      assert.equal((await order(scene, 'reload', {}, who)).code, 'forbidden_endpoint');
    const both = await Promise.all([orderThere(scene, 'reload'), order(scene, 'reload', {})]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [202, 429]);
  });

  test('an order that the folder does not allow is refused on the operations port, and shown on both', async (t) => {
    const scene = await start(t);
    mkdirSync(join(scene.snapshots, 'rollback.json')); // also root cannot put a file there
    const refused = await orderThere(scene, 'roll-back', { file: '1.vdx' });
    assert.deepEqual([refused.status, refused.code], [409, 'order_failed']);
    const why = /^rollback\.json in the folder of snapshots: cannot be changed \(rename: \w+\); write access/;
    assert.match(refused.json.detail, why);
    assert.equal((await admitted(() => order(scene, 'roll-back', { file: '1.vdx' }))).status, 202);
    await until('the outcome', async () => {
      const { last_order } = (await ask(scene, '/operations', 'operator')).json;
      return last_order.outcome === 'failed' && why.test(last_order.detail);
    });
  });
});
