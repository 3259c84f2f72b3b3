// Lines on their way to systemd: through a program of the test in the place of systemd-notify, and through
// the real one to a socket of Python.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type NotifyProgram, openNotifyProgram } from '../../../src/serve/systemd/notify-program.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NotifySocket, whyNoNotifySocket } from '../../support/process/notify-socket.ts';
import { until } from '../../support/until.ts';

/** A program named systemd-notify that does this with its argument. */
function fake(t: TestContext, body: string, answerMs?: number): { program: NotifyProgram; folder: string } {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\ncd ${folder}\n${body}\n`, { mode: 0o755 });
  const program = openNotifyProgram({ PATH: `${folder}:/usr/bin:/bin`, NOTIFY_SOCKET: '/nowhere' }, answerMs);
  t.after(() => program.close());
  return { program, folder };
}

test('each line reaches the program as one argument, whatever is in it', async (t) => {
  const { program, folder } = fake(t, 'printf "%s|%s\\n" "$#" "$1" >> told; echo "$NOTIFY_SOCKET" > socket');
  const lines = ['READY=1', 'STATUS=Serving $(id) `id` "a" \'b\' \\n * ; x', 'STOPPING=1'];
  for (const line of lines) await program.tell(line);
  assert.equal(readFileSync(join(folder, 'told'), 'utf8'), lines.map((line) => `1|${line}\n`).join(''));
  assert.equal(readFileSync(join(folder, 'socket'), 'utf8'), '/nowhere\n');
});

test('what the program complains of is the reason, and the next line is told again', async (t) => {
  const { program } = fake(t, 'test "$1" = READY=1 || { echo "no such socket" >&2; exit 3; }');
  await assert.rejects(program.tell('STOPPING=1'), { message: 'no such socket; failed, status 3' });
  await program.tell('READY=1');
});

test('a program that is not installed is named', async (t) => {
  const program = openNotifyProgram({ PATH: temporaryFolder(t), NOTIFY_SOCKET: '/nowhere' });
  t.after(() => program.close());
  await assert.rejects(program.tell('READY=1'), /systemd-notify.*not found.*status 127/);
});

test('a shell that was ended is replaced', async (t) => {
  const { program } = fake(t, 'test -e again || { touch again; kill -9 $PPID; }');
  await assert.rejects(program.tell('READY=1'), /the shell that runs systemd-notify ended/);
  await program.tell('READY=1');
});

test('a program that hangs is given up', async (t) => {
  const { program } = fake(t, 'exec sleep 20', 50);
  await assert.rejects(program.tell('READY=1'), /did not end within 50 ms/);
});

const why = whyNoNotifySocket();
const withSystemd = { skip: why ?? false };

test('the real program fails on a socket that does not exist', withSystemd, async (t) => {
  const socket = join(temporaryFolder(t), 'none');
  const program = openNotifyProgram({ PATH: process.env.PATH ?? '', NOTIFY_SOCKET: socket });
  t.after(() => program.close());
  await assert.rejects(program.tell('READY=1'), /No such file or directory; failed, status \d+/);
});

test('the real program brings lines to the socket', withSystemd, async (t) => {
  const path = join(temporaryFolder(t), 'notify');
  const socket = await NotifySocket.open(t, path);
  const program = openNotifyProgram({ PATH: process.env.PATH ?? '', NOTIFY_SOCKET: path });
  t.after(() => program.close());
  const lines = ['READY=1', 'STATUS=Serving snapshot 0123', 'WATCHDOG=1'];
  for (const line of lines) await program.tell(line);
  await until('the lines', () => socket.messages.length === lines.length);
  assert.deepEqual(socket.messages, lines);
});
