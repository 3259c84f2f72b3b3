// The systemd unit's system call filter applied: a server runs with only the calls that the unit allows, as
// systemd would run it.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { feedRecord } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeAccess } from '../support/process/access.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { NotifySocket, whyNoNotifySocket } from '../support/process/notify-socket.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';
import { until } from '../support/until.ts';
import { allowedCalls, underFilter, whyNoFilter } from './call-filter.ts';

const entry = builtProgram();
const UNIT = readFileSync(new URL('../../deploy/vulndex.service', import.meta.url), 'utf8');

function settingsOf(key: string): string[] {
  return [...UNIT.matchAll(new RegExp(`^${key}=(.+)$`, 'gm'))].map(([, value]) => value.trim());
}

/** A server that has loaded a first snapshot, and a newer one ready to be moved into its folder. */
async function serveUnder(t: TestContext, launcher: readonly string[]) {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const first = await compileRecords(folder, [feedRecord(1)], { name: 'first.vdx' });
  const newer = await compileRecords(folder, [feedRecord(2)], { name: 'newer.vdx', builtAtMs: Date.now() });
  copyFileSync(first, join(snapshots, 'first.vdx'));
  const { file: keys } = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, { snapshots, keys, workers: 1, entry, launcher });
  return { server, publish: () => renameSync(newer, join(snapshots, 'newer.vdx')) };
}

async function assertFollowsItsFolder(server: ServerProcess, publish: () => void): Promise<void> {
  publish();
  await until('the newer snapshot is loaded', () => {
    return server.logged('snapshot loaded').length + server.logged(DIED).length > 1;
  });
  assert.deepEqual(server.logged(DIED), []);
  assert.equal((await server.ops('readyz')).status, 200);
  assert.equal(await server.stop(), 0);
}

const DIED = 'the loader thread died and is being restarted';

test("the unit's filter lets the server run, load a newer snapshot and stop", async (t) => {
  const why = whyNoFilter();
  if (why !== undefined) return t.skip(why);
  const allowed = allowedCalls(settingsOf('SystemCallFilter'));
  if (allowed === undefined) return t.skip('systemd-analyze is not installed');
  assert.deepEqual(settingsOf('SystemCallErrorNumber'), ['EPERM'], 'as in the launcher');
  const { server, publish } = await serveUnder(t, underFilter('allow', allowed));
  assert.ok(
    nicenessesOf(server.pid).includes(10),
    'the loader has a lower priority than the serving threads',
  );
  await assertFollowsItsFolder(server, publish);
  assert.deepEqual(server.logged('the loader could not lower its priority'), []);
});

test("the unit's filter lets the server tell systemd that it is ready, and that it stops", async (t) => {
  const why = whyNoFilter() ?? whyNoNotifySocket();
  if (why !== undefined) return t.skip(why);
  const allowed = allowedCalls(settingsOf('SystemCallFilter'));
  if (allowed === undefined) return t.skip('systemd-analyze is not installed');
  const path = join(temporaryFolder(t), 'notify');
  const { messages } = await NotifySocket.open(t, path);
  const { server } = await serveUnder(t, [
    ...underFilter('allow', allowed),
    ...['env', `NOTIFY_SOCKET=${path}`],
  ]);
  await until('systemd to be told', () => messages.length > 0);
  assert.equal(await server.stop(), 0);
  await until('the end to be told', () => messages.at(-1) === 'STOPPING=1');
  assert.deepEqual(messages, ['READY=1', 'STOPPING=1']);
  assert.deepEqual(
    server.log.filter(({ msg }) => msg.startsWith('systemd cannot be told')),
    [],
  );
});

test('a loader that may not lower its priority says so once and continues', async (t) => {
  const why = whyNoFilter();
  if (why !== undefined) return t.skip(why);
  if (getPriority() > 0) return t.skip('this process has a lower priority already');
  const { server, publish } = await serveUnder(t, underFilter('deny', ['setpriority']));
  await assertFollowsItsFolder(server, publish);
  const [told, ...more] = await server.told('the loader could not lower its priority');
  assert.match(String(told?.reason), /EPERM/);
  assert.equal(told?.level, 40);
  assert.deepEqual(more, []);
});

test('a loader whose priority is already low enough keeps it', async (t) => {
  // Without root's capability a priority cannot be raised again.
  const asOrdinary = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-sys_nice'] : [];
  const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + 15);
  const { server, publish } = await serveUnder(t, [...asOrdinary, 'nice', '-n', '15']);
  assert.deepEqual(new Set(nicenessesOf(server.pid)), new Set([niceness]));
  await assertFollowsItsFolder(server, publish);
  assert.deepEqual(server.logged('the loader could not lower its priority'), []);
});

/** Of every thread of the process, but for those that end meanwhile. */
function nicenessesOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const stat = statOf(`/proc/${pid}/task/${thread}/stat`);
    // The 19th field; the second ends in a parenthesis.
    return stat === undefined ? [] : Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17]);
  });
}

function statOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ESRCH'].includes(code)) return undefined;
    throw error;
  }
}
