// What systemd is told: through a program of the test in the place of systemd-notify, and through the real
// one to a socket of Python.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ServiceManager } from '../../src/serve/service-manager.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NotifySocket, whyNoNotifySocket } from '../support/process/notify-socket.ts';
import { until } from '../support/until.ts';

interface Scene {
  readonly manager: ServiceManager;
  readonly folder: string;
  readonly logged: string[];
}

/** A program named systemd-notify that does this with its argument. */
function scene(t: TestContext, body: string | undefined): Scene {
  const folder = temporaryFolder(t);
  if (body !== undefined)
    writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\ncd ${folder}\n${body}\n`, { mode: 0o755 });
  const logged: string[] = [];
  const manager = ServiceManager.open(
    { PATH: `${folder}:/usr/bin:/bin`, NOTIFY_SOCKET: '/nowhere', VULNDEX_SECRET: 'x' },
    { warn: (...words: unknown[]) => void logged.push(JSON.stringify(words)) },
  );
  assert.ok(manager !== undefined);
  t.after(() => manager.close());
  return { manager, folder, logged };
}

test('without a socket there is nobody to tell', () => {
  for (const environment of [{}, { NOTIFY_SOCKET: '' }])
    assert.equal(ServiceManager.open(environment, { warn: () => assert.fail() }), undefined);
});

test('that the process is ready is told when it is, and that it stops before it does', async (t) => {
  const { manager, folder, logged } = scene(t, 'echo "$#|$1" >> told; env > env');
  let isReady = false;
  manager.whenReady(() => isReady);
  const told = join(folder, 'told');
  assert.equal(existsSync(told), false);
  isReady = true;
  await until('the word', () => existsSync(told));
  await manager.stopping();
  assert.equal(readFileSync(told, 'utf8'), '1|READY=1\n1|STOPPING=1\n');
  const environment = readFileSync(join(folder, 'env'), 'utf8');
  assert.match(environment, /^NOTIFY_SOCKET=\/nowhere$/m);
  assert.doesNotMatch(environment, /VULNDEX_SECRET/);
  assert.deepEqual(logged, []);
});

test('a process that stops before it was ready tells only that', async (t) => {
  const { manager, folder } = scene(t, 'echo "$1" >> told');
  manager.whenReady(() => false);
  await manager.stopping();
  assert.equal(readFileSync(join(folder, 'told'), 'utf8'), 'STOPPING=1\n');
});

test('what the program complains of is logged once, and holds up no stop for long', async (t) => {
  const { manager, logged } = scene(t, 'echo "no such socket" >&2; exit 3');
  manager.whenReady(() => true);
  await until('the complaint', () => logged.length > 0);
  await manager.stopping(50);
  assert.equal(logged.length, 1);
  assert.match(logged[0], /no such socket.*systemd cannot be told how this process is/);
});

test('a program that is not installed is named', async (t) => {
  const folder = temporaryFolder(t);
  const logged: string[] = [];
  const warn = (...words: unknown[]): void => void logged.push(JSON.stringify(words));
  const manager = ServiceManager.open({ PATH: folder, NOTIFY_SOCKET: '/nowhere' }, { warn });
  t.after(() => manager?.close());
  await manager?.stopping(200);
  assert.match(logged.join(), /systemd-notify.*not found/);
});

test('the real program reaches the socket', { skip: whyNoNotifySocket() ?? false }, async (t) => {
  const path = join(temporaryFolder(t), 'notify');
  const { messages } = await NotifySocket.open(t, path);
  const { PATH } = process.env;
  const manager = ServiceManager.open({ PATH, NOTIFY_SOCKET: path }, { warn: () => assert.fail() });
  t.after(() => manager?.close());
  manager?.whenReady(() => true);
  await until('systemd to be told', () => messages.length > 0);
  await manager?.stopping();
  await until('the end to be told', () => messages.length > 1);
  assert.deepEqual(messages, ['READY=1', 'STOPPING=1']);
});
