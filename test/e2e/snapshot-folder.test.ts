// A serving process and what an operator does to its snapshot folder, signals and threads: what survives a
// restart of the loader, what a reload does and does not do, and how each state is reported.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { compileHours, many } from '../support/followed-folder.ts';
import { pluck } from '../support/pluck.ts';
import { writeAccess } from '../support/process/access.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { until } from '../support/until.ts';

const entry = builtProgram();
const stock = temporaryFolder({ after });
let hours: readonly string[];

before(async () => {
  hours = await compileHours(stock);
});

interface Scene {
  readonly server: ServerProcess;
  readonly at: (name: string) => string;
  readonly keys: string;
  /** Status of a lookup with a valid key. */
  readonly lookup: () => Promise<Response>;
  /** A prepared file, with a valid key. */
  readonly file: () => Promise<Response>;
  readonly status: () => Promise<Status>;
  /** The id of the live snapshot. */
  readonly id: () => Promise<string | undefined>;
  readonly condition: (name: string) => Promise<number>;
}

interface Status {
  readonly snapshot: { readonly id: string; readonly file: string } | null;
  readonly conditions: readonly { readonly condition: string; readonly answered: string }[];
  readonly roll_back: { readonly state: string } | null;
}

async function serve(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, string | number>> = {},
): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  for (const [name, file] of Object.entries(files)) copyFileSync(file, join(snapshots, name));
  const { file: keys, free } = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, { snapshots, keys, workers: 1, entry, options });
  const status = async (): Promise<Status> => JSON.parse((await server.ops('status')).text) as Status;
  const ask = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { PSKey: free } });
  return {
    server,
    at: (name) => join(snapshots, name),
    keys,
    lookup: () => ask('/product/plugin/gallery/1.0/exists'),
    file: () => ask('/statistics'),
    status,
    id: async () => (await status()).snapshot?.id,
    condition: async (name) => {
      const { text } = await server.ops('metrics');
      return Number(new RegExp(`^vulndex_condition\\{condition="${name}"\\} (\\d)$`, 'm').exec(text)?.[1]);
    },
  };
}

/** Runs a command of the program as a shell would, and returns its output. */
function runProgram(command: string): string {
  const line = `${process.execPath} ${entry} ${command}`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Kills the loader thread and waits until its successor has scanned the folder. */
async function restartLoader({ server, at }: Scene): Promise<void> {
  const lines = server.log.length;
  server.signal('SIGXCPU');
  await until('the loader thread died', () => {
    return server.log.slice(lines).some(({ msg }) => msg === 'the loader thread died and is being restarted');
  });
  // A scan that finds nothing logs nothing: the second file shows that the scan that saw the first one has
  // ended.
  for (const name of ['probe-1.vdx', 'probe-2.vdx']) {
    writeFileSync(at(name), 'not a snapshot');
    await until(`${name} to be refused`, () =>
      server.logged('snapshot refused').some(({ file }) => file === at(name)),
    );
    rmSync(at(name));
  }
}

test('a restarted loader loads neither a snapshot refused as shrunk nor an older one', async (t) => {
  const scene = await serve(t, { '1.vdx': hours[1], 'ten.vdx': await many(t, 10, 2) }, { 'max-shrink': 20 });
  const { server, at, id } = scene;
  const inForce = await id();
  copyFileSync(await many(t, 5, 3), at('five.vdx'));
  await until('the smaller one is refused', () => server.logged('snapshot refused').length === 1);
  rmSync(at('ten.vdx'));
  await restartLoader(scene);
  assert.equal(await id(), inForce);
  assert.deepEqual(
    server
      .logged('snapshot refused')
      .filter(({ file }) => file === at('five.vdx'))
      .map(({ code }) => code),
    ['shrunk', 'shrunk'],
  );
  assert.equal(server.logged('snapshot loaded').length, 1);
});

test('SIGHUP lifts no guard, but the command in the refusal does, even after polls', async (t) => {
  const scene = await serve(t, { 'ten.vdx': await many(t, 10, 1) }, { 'max-shrink': 20 });
  const { server, at, id } = scene;
  const inForce = await id();
  copyFileSync(await many(t, 5, 2), at('five.vdx'));
  await until('the smaller one is refused', () => server.logged('snapshot refused').length === 1);
  renameSync(at('five.vdx'), at('renamed.vdx'));
  server.signal('SIGHUP');
  await until('it is refused again', () => server.logged('snapshot refused').length === 2);
  assert.equal((await server.told('rescanning snapshots')).length, 1);
  assert.equal(await id(), inForce);
  const [, command] =
    /run: vulndex (.+)$/.exec(String(server.logged('snapshot refused').at(-1)?.reason)) ?? [];
  runProgram(String(command));
  await until('it is in force', async () => (await id()) !== inForce);
  assert.equal((await server.told('snapshot loaded', 2)).at(-1)?.reason, 'accepted-shrink');
});

test('a roll-back is logged, shown and counted, and survives a restart of the loader or the process', async (t) => {
  const scene = await serve(t, { '1.vdx': hours[1], '2.vdx': hours[2] });
  const { server, at, status, id, condition } = scene;
  const newest = await id();
  assert.equal(await condition('rolled_back'), 0);
  runProgram(`snapshots rollback ${at('1.vdx')}`);
  await until('it is rolled back', async () => (await status()).roll_back?.state === 'held');
  assert.notEqual(await id(), newest);
  assert.equal(await condition('rolled_back'), 1);
  assert.deepEqual(
    (await server.told('rolled back to an older snapshot')).map(({ file, answered }) => [file, answered]),
    [['1.vdx', 'from 1.vdx']],
  );
  await restartLoader(scene);
  assert.equal((await status()).snapshot?.file, '1.vdx');
  assert.equal((await status()).roll_back?.state, 'held');
  copyFileSync(hours[3], at('3.vdx'));
  await until('a newer one ends it', async () => (await status()).snapshot?.file === '3.vdx');
  assert.equal((await status()).roll_back?.state, 'over');
  assert.equal(await condition('rolled_back'), 0);
  assert.equal((await server.told('roll-back is over')).length, 1);
});

test('a process that starts with a roll-back in its folder follows it', async (t) => {
  const scene = await serve(t, { '1.vdx': hours[1], '2.vdx': hours[2] });
  runProgram(`snapshots rollback ${scene.at('1.vdx')}`);
  const files = { '1.vdx': hours[1], '2.vdx': hours[2], 'rollback.json': scene.at('rollback.json') };
  const again = await serve(t, files);
  assert.equal((await again.status()).snapshot?.file, '1.vdx');
  assert.equal(await again.condition('rolled_back'), 1);
});

test('an empty folder, a missing one and recovery each say what requests get', async (t) => {
  const { server, at, lookup, status, condition } = await serve(t, {});
  const folder = at('.');
  const said = 'snapshot folder has no snapshot';
  const [empty, ...more] = await server.told(said);
  assert.deepEqual([empty?.answered, more], ['503 no_snapshot', []]);
  assert.match(String(empty?.message), /: copy one there, or compile one with `vulndex compile --out \//);
  assert.equal((await lookup()).status, 503);
  assert.equal((await status()).conditions[0]?.condition, 'snapshot_folder_empty');
  assert.equal((await status()).conditions[0]?.answered, '503 no_snapshot');
  assert.equal(await condition('snapshot_folder_empty'), 1);
  copyFileSync(hours[1], at('1.vdx'));
  await until('it is answered', async () => (await lookup()).status === 200);
  assert.deepEqual((await status()).conditions, []);
  assert.equal((await server.told('snapshot folder is no longer empty')).length, 1);
  renameSync(folder, join(folder, '..', 'away'));
  await until('it is missed', async () => (await condition('snapshot_folder_unreadable')) === 1);
  const [missing] = await server.told('snapshot folder cannot be read');
  assert.equal(missing?.answered, 'from the live snapshot');
  assert.equal(missing?.reason, 'the folder does not exist');
  assert.match(String(missing?.message), /: the folder does not exist; create it, or compile /);
  assert.equal((await lookup()).status, 200);
  assert.doesNotMatch((await server.ops('status')).text, /snapshots/, 'no path is told to strangers');
  renameSync(join(folder, '..', 'away'), folder);
  await until('it is back', async () => (await condition('snapshot_folder_unreadable')) === 0);
  assert.equal((await server.told('snapshot folder is readable again')).length, 1);
});

test('a folder that comes back during a loader restart is seen to be back', async (t) => {
  const scene = await serve(t, { '1.vdx': hours[1] });
  const { server, at, condition } = scene;
  const [folder, away] = [at('.'), join(at('.'), '..', 'away')];
  renameSync(folder, away);
  await until('it is missed', async () => (await condition('snapshot_folder_unreadable')) === 1);
  server.signal('SIGXCPU');
  const died = 'the loader thread died and is being restarted';
  await until('the loader thread died', () => server.logged(died).length === 1);
  renameSync(away, folder); // the next one starts after a second
  await until('it is back', async () => (await condition('snapshot_folder_unreadable')) === 0);
});

test('data that is too old is served with a warning, and /readyz, /status, log and metric say why', async (t) => {
  const { server, lookup, status, condition } = await serve(
    t,
    { '1.vdx': hours[1] },
    { 'max-snapshot-age': '60s' },
  );
  const answer = await lookup();
  assert.deepEqual([answer.status, answer.headers.get('warning')], [200, '110 - "Response is Stale"']);
  for (const port of [server.port, server.opsPort]) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    const body = (await ready.json()) as { status: string; warning: string };
    assert.deepEqual([ready.status, body.status], [200, 'ready']);
    assert.match(body.warning, /^The data is \d+ s old, more than the 60 s allowed\./);
  }
  const [told, ...more] = await server.told('snapshot is too old');
  assert.deepEqual([told?.answered, more], ['from the live snapshot, with a Warning header', []]);
  assert.equal((await status()).conditions[0]?.condition, 'snapshot_too_old');
  assert.equal(await condition('snapshot_too_old'), 1);
});

test('data that is too old makes the process unready with --stale unready', async (t) => {
  const { server, lookup } = await serve(
    t,
    { '1.vdx': hours[1] },
    { 'max-snapshot-age': '60s', stale: 'unready' },
  );
  for (const port of [server.port, server.opsPort]) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    const body = (await ready.json()) as { code: string; detail: string };
    assert.deepEqual([ready.status, body.code], [503, 'snapshot_too_old']);
    assert.match(body.detail, /^The data is \d+ s old, more than the 60 s allowed\./);
  }
  assert.equal((await lookup()).status, 200);
});

test('a refused keys file, and its recovery, say which keys are in use', async (t) => {
  const { server, keys, lookup, status, condition } = await serve(t, { '1.vdx': hours[1] });
  const good = readFileSync(keys);
  writeFileSync(keys, '{"tiers": {}}');
  await until('it is refused', async () => (await condition('keys_file_refused')) === 1);
  const told = await server.told('keys file refused; the previous keys stay active');
  assert.deepEqual(pluck(told, 'answered'), ['with the keys read before']);
  assert.equal((await status()).conditions[0]?.condition, 'keys_file_refused');
  assert.equal((await lookup()).status, 200);
  writeFileSync(keys, good);
  await until('it is good again', async () => (await condition('keys_file_refused')) === 0);
  assert.equal((await server.told('keys file is valid again')).length, 1);
  assert.deepEqual((await status()).conditions, []);
});

test('with --ready files no request finds a file missing once /readyz is 200', async (t) => {
  const { server, at, file } = await serve(t, {}, { ready: 'files' });
  assert.equal(JSON.parse((await server.ops('readyz')).text).code, 'no_snapshot');
  copyFileSync(hours[1], `${at('0.vdx')}.part`);
  renameSync(`${at('0.vdx')}.part`, at('0.vdx'));
  const codes = new Set<string>();
  await until('/readyz to be 200', async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    const { code } = (await response.json()) as { readonly code?: string };
    if (code !== undefined) codes.add(code);
    return response.status === 200;
  });
  assert.ok(
    [...codes].every((code) => ['no_snapshot', 'preparing'].includes(code)),
    [...codes].join(),
  );
  assert.equal((await file()).status, 200);
});
