// The start script of package.json, run by npm itself with a stand-in for the program: stopping npm stops the
// server. scripts/smoke.ts does the same with the real program.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Prints its process id and arguments, and shuts down cleanly on SIGTERM. */
const STAND_IN = `
process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });
require('node:net').createServer().listen(0, '127.0.0.1'); // keeps it running
console.log(JSON.stringify({ pid: process.pid, words: process.argv.slice(2) }));
`;

function startNpm(t: TestContext, ...words: readonly string[]): ChildProcess {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist', 'cli.js'), STAND_IN);
  const start = { build: 'node --version', start: scripts.start };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', scripts: start }));
  return spawn('npm', ['start', '--silent', '--', ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('SIGTERM to npm start alone shuts the server down cleanly', async (t) => {
  const npm = startNpm(t, '--port', '0');
  let printed = '';
  let server: { readonly pid: number; readonly words: readonly string[] } | undefined;
  t.after(() => {
    if (server !== undefined && isRunning(server.pid)) process.kill(server.pid, 'SIGKILL');
  });
  let isClosed = false;
  npm.once('close', () => {
    isClosed = true;
  });
  await new Promise<void>((resolve, reject) => {
    npm.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk;
      const line = /^\{.*\}$/m.exec(printed)?.[0];
      if (line === undefined || server !== undefined) return;
      server = JSON.parse(line);
      resolve();
    });
    npm.once('exit', () => reject(new Error(`npm ended early:\n${printed}`)));
  });
  assert.deepEqual(server?.words, ['demo', '--port', '0']);
  npm.kill('SIGTERM');
  // Its output closes when no process holds it any more, including the server.
  await until('npm and the server to end', () => isClosed);
  assert.match(printed, /^stopped$/m);
  assert.equal(isRunning(server?.pid ?? 0), false);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
