// Claims of SECURITY.md that only a whole process can show: what its log and its operations listener reveal
// about clients, and what it does to the machine, as /proc shows.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TransportKind } from '../../src/http/transport/transport.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Builds } from '../support/load/builds.ts';
import { type Access, writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { within } from './support/scale.ts';

const MARK = 'a-mark-that-no-one-else-writes';
/** A method that no one defined: Node's parser refuses it before there is a request. */
const UNKNOWN_METHOD: Readonly<
  Record<TransportKind, { readonly status: number; readonly isLogged: boolean }>
> = {
  uws: { status: 405, isLogged: true },
  node: { status: 400, isLogged: false },
};

interface Scene {
  readonly folder: string;
  readonly snapshots: string;
  readonly access: Access;
  readonly builds: Builds;
  readonly server: ServerProcess;
}

async function prepare(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const builds = new Builds(join(folder, 'builds'), 300, 17);
  copyFileSync((await builds.compile(1)).path, join(snapshots, '1.vdx'));
  const access = writeAccess(join(folder, 'keys.json'), { few: { limit: 1, window_seconds: 3600 } });
  const before = process.env.VULNDEX_ACCESS_LOG;
  process.env.VULNDEX_ACCESS_LOG = '1'; // for the server to be started, which inherits this environment
  const server = await ServerProcess.start(t, { snapshots, keys: access.file, workers: 2 });
  if (before === undefined) delete process.env.VULNDEX_ACCESS_LOG;
  else process.env.VULNDEX_ACCESS_LOG = before;
  return { folder, snapshots, access, builds, server };
}

/**
 * Requests for every kind of answer, with the mark in everything that a client can send. Returns how many are
 * logged.
 */
async function askAround({ access, server }: Scene): Promise<number> {
  const at = `http://127.0.0.1:${server.port}`;
  const headers = { PSKey: access.free, 'User-Agent': MARK, Referer: MARK, Cookie: MARK };
  const body = JSON.stringify([{ type: 'plugin', name: MARK, version: MARK }]);
  const replies = [
    await fetch(`${at}/product/plugin/${MARK}/1.0?include=details&x=${MARK}`, { headers }),
    await fetch(`${at}/all?platform=${MARK}`, { headers }),
    await fetch(`${at}/vulnerability/${MARK}`, { headers }),
    await fetch(`${at}/${MARK}`, { headers }),
    await fetch(`${at}/all`, { method: 'DELETE', headers }),
    await fetch(`${at}/all`, { method: MARK.toUpperCase(), headers }),
    await fetch(`${at}/batch`, { method: 'POST', headers, body }),
    await fetch(`${at}/batch`, { method: 'POST', headers, body: MARK }),
    await fetch(`${at}/all`, { headers: { PSKey: MARK } }),
    await fetch(`${at}/all`, { headers: { Authorization: `Bearer ${MARK}` } }),
    await fetch(`${at}/all?per_page=1`, { headers: { PSKey: access.limited.few as string } }),
    await fetch(`${at}/all?per_page=1`, { headers: { PSKey: access.limited.few as string } }),
  ];
  for (const reply of replies) await reply.arrayBuffer();
  const unknown = UNKNOWN_METHOD[server.logged('starting')[0]?.transport as TransportKind]; // written by us
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 422, 404, 404, 405, unknown.status, 200, 400, 401, 401, 200, 429],
  );
  return unknown.isLogged ? replies.length : replies.length - 1;
}

test('the log and the operations listener reveal nothing that a client sent, and no key', async (t) => {
  const scene = await prepare(t);
  const { access, server } = scene;
  const asked = await askAround(scene);
  await within('every request is in the log', 10_000, () => server.logged('request').length === asked);
  assert.equal(await server.ops('status').then(({ status }) => status), 200);
  const log = server.log.map((line) => JSON.stringify(line)).join('\n');
  const ops = (await server.ops('status')).text + (await server.ops('metrics')).text;
  const secrets = [MARK, MARK.toUpperCase(), access.free, access.limited.few as string];
  for (const secret of secrets) {
    assert.ok(!log.includes(secret), `the log has ${secret}`);
    assert.ok(!ops.includes(secret), `the operations listener reveals ${secret}`);
  }
  assert.ok(!log.includes('127.0.0.1'), 'the log has the address of a client');
  assert.ok(log.includes('"keyId":"k_free"'), 'the id of a key is in the access log');
  assert.doesNotMatch(ops, /k_free|k_few/, 'and not in metrics and status');
  const operations = await operationsAfter(server, Date.now());
  const withoutPaths = operations.replaceAll(/"path":"[^"]*"/g, '');
  for (const secret of secrets) {
    assert.ok(!withoutPaths.includes(secret), `/operations reveals ${secret} outside a path`);
  }
  for (const key of [access.free, access.limited.few as string]) {
    assert.ok(!operations.includes(key), '/operations reveals a key');
  }
  assert.equal(await server.stop(), 0);
});

/** What the operations listener says of the process, written after that time. */
async function operationsAfter(server: ServerProcess, timeMs: number): Promise<string> {
  let text = '';
  await within('the figures are newer than the requests', 10_000, async () => {
    ({ text } = await server.ops('operations'));
    return Date.parse(JSON.parse(text).now) > timeMs;
  });
  return text;
}

/** Descriptors of a process: the target of each, and whether it is writable. */
function descriptorsOf(pid: number): { readonly target: string; readonly isWritable: boolean }[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
      const isWritable = (Number.parseInt(flags, 8) & 3) !== 0; // O_WRONLY or O_RDWR
      return [{ target: readlinkSync(`/proc/${pid}/fd/${fd}`), isWritable }];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** Local ports of the TCP sockets of a process. */
function socketsOf(pid: number): { readonly listening: number[]; readonly connected: number[] } {
  const own = new Set(
    descriptorsOf(pid).flatMap(({ target }) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []),
  );
  const lines = ['tcp', 'tcp6'].flatMap((table) => {
    return readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1);
  });
  const sockets = lines.map((line) => line.trim().split(/\s+/)).filter((cells) => own.has(cells[9]));
  const portsOf = (isListening: boolean): number[] =>
    sockets
      .filter((cells) => (cells[3] === '0A') === isListening)
      .map((cells) => Number.parseInt(cells[1].split(':')[1], 16));
  return { listening: portsOf(true), connected: portsOf(false) };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, size, ino } = statSync(path);
    return `${path} ${mtimeMs} ${size} ${ino}`;
  });
}

const linuxOnly = { skip: process.platform === 'linux' ? false : '/proc is Linux’s' };

test(
  'serve starts no process, opens no connection and writes no file, even during requests and a swap',
  linuxOnly,
  async (t) => {
    const scene = await prepare(t);
    const { folder, snapshots, builds, server } = scene;
    const second = await builds.compile(2);
    copyFileSync(second.path, join(snapshots, '2.vdx'));
    const before = filesBelow(folder);
    const ports = [server.port, server.opsPort];
    const look = (): void => {
      for (const task of readdirSync(`/proc/${server.pid}/task`)) {
        const children = readFileSync(`/proc/${server.pid}/task/${task}/children`, 'utf8');
        assert.equal(children, '', 'a process was started');
      }
      const { listening, connected } = socketsOf(server.pid);
      assert.deepEqual([...new Set(listening)].sort(), ports.toSorted());
      for (const port of connected)
        assert.ok(ports.includes(port), `a connection from port ${port} was opened`);
      const written = descriptorsOf(server.pid).filter(
        ({ target, isWritable }) => isWritable && target.startsWith('/') && !target.startsWith('/dev/'),
      );
      assert.deepEqual(written, []);
    };
    look();
    const isSwapped = (): boolean => server.logged('snapshot loaded').length === 2;
    for (let turn = 0; turn < 500 && !isSwapped(); turn++) {
      look();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.ok(isSwapped(), 'the second snapshot is loaded');
    await askAround(scene);
    look();
    assert.equal(await server.stop(), 0);
    assert.deepEqual(filesBelow(folder), before);
  },
);
