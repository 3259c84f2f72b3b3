// Checks the README's run command: starts it on a free port, makes one authenticated request to each
// endpoint, follows the printed curl line and the printed address of the console, and stops it. With
// --packed, `vulndex demo` from a tarball, installed in an empty folder: the one named, or a new one of `npm
// pack`. Exits 1 with what was expected and what was received.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, killTree, npm, onInterrupt, removeFolder } from './processes.ts';

const START_MS = 120_000;
const STOP_MS = 20_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { packed: { type: 'boolean', default: false } },
});
if (positionals.length > (values.packed ? 1 : 0)) fail('usage: smoke.ts [--packed [TARBALL]]');

const folder = mkdtempSync(join(tmpdir(), 'vulndex-smoke-'));
const clean = (): void => removeFolder(folder);
onInterrupt(clean);
try {
  if (values.packed) await checkProgram([await installPacked(positionals[0]), 'demo'], folder);
  else await checkProgram(['npm', 'start', '--'], '.');
  console.log(
    `${values.packed ? 'the packed command' : 'the run command'} serves every endpoint and stops on SIGTERM`,
  );
} finally {
  clean();
}

/**
 * The path of the command, installed from the tarball; its dependencies come from npm's cache or the
 * registry.
 */
async function installPacked(tarball = ''): Promise<string> {
  if (tarball === '') {
    await npm(['run', '--silent', 'build']);
    await npm(['pack', '--silent', '--pack-destination', folder]);
  }
  const path = tarball === '' ? join(folder, readdirSync(folder)[0]) : resolve(tarball);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  await npm(['install', '--prefer-offline', '--omit=dev', '--no-audit', '--no-fund', path], folder);
  return join(folder, 'node_modules', '.bin', 'vulndex');
}

/** Starts the program, asks it everything, and stops it. */
async function checkProgram([command, ...words]: readonly string[], cwd: string): Promise<void> {
  const data = join(folder, 'data');
  const options = ['--port', '0', '--ops-port', '0', '--drain-seconds', '0', '--snapshots', data];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const server = spawn(command, [...words, ...options], {
    stdio: [...stdio],
    cwd,
    detached: true,
    env: { ...process.env, TMPDIR: folder },
  });
  const kill = (): void => killTree(server.pid);
  const end = onInterrupt(kill);
  let printed = '';
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const listening = new Promise<string>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`the server ended with status ${code}`)));
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const address = /^listening on (\S+)$/m.exec(printed)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  try {
    const address = await within(START_MS, 'not listening', listening);
    await checkEndpoints(address, printed);
    server.kill('SIGTERM'); // to npm alone, which it kills: its status says nothing
    await within(STOP_MS, 'still running after SIGTERM', closed);
    if (!printed.includes('"advisories":20000,"withdrawn":35,'))
      throw new Error('no count of withdrawn advisories');
    if (!printed.includes('"msg":"stopped"')) throw new Error('the server did not stop cleanly');
  } catch (error) {
    throw new Error(`the server printed:\n${printed}`, { cause: error });
  } finally {
    kill();
    end();
  }
}

/** Asks what the start has printed. */
async function checkEndpoints(address: string, printed: string): Promise<void> {
  const key = getMatch(/key for this run: (\S+)/, printed);
  const headers = { PSKey: key };
  const curl = getMatch(/curl -H 'PSKey: \S+' (\S+)/, printed);
  await expect(200, curl, { headers });
  await expect(401, `${address}/all`);
  const all = await expect(200, `${address}/all?per_page=1`, { headers });
  const { vulnerabilities } = (await all.json()) as { vulnerabilities: readonly { id: number }[] };
  await expect(200, `${address}/latest`, { headers });
  const snapshot = getMatch(/^"([0-9a-f]{16})/, all.headers.get('etag') ?? '');
  await expect(200, `${address}/changes?since=${snapshot}&snapshot=${snapshot}`, { headers });
  await expect(200, `${address}/database/api/npm/all?platform=npm&cursor=`, { headers });
  await expect(200, `${curl}/exists`, { headers });
  await expect(200, curl.replace('/product/', '/explain/'), { headers });
  await expect(200, `${address}/vulnerability/${vulnerabilities[0].id}`, { headers });
  const body = JSON.stringify([{ type: 'npm', name: 'anything', version: '1.0.0', exists: true }]);
  await expect(200, `${address}/batch`, { method: 'POST', headers, body });
  await expect(200, `${address}/openapi.json`);
  await expect(200, `${address}/healthz`);
  await expect(200, `${address}/readyz`);
  await checkPages(address, new URL(getMatch(/^open: (\S+)$/m, printed)), key);
}

/**
 * The printed address opens the console with the key of this run; the pages and their scripts come with a
 * policy.
 */
async function checkPages(address: string, printed: URL, key: string): Promise<void> {
  const [view, query] = printed.hash.split('?');
  if (view !== '#/lookup' || new URLSearchParams(query).get('key') !== key)
    throw new Error(`expected an address with the key of this run, got ${printed}`);
  for (const page of [new URL(printed.pathname, address), new URL('/docs/', address)]) {
    const index = await expect(200, page);
    const script = getMatch(/<script[^>]* src="([^"]+)"/, await index.text());
    for (const response of [index, await expect(200, new URL(script, page))]) {
      const policy = response.headers.get('content-security-policy');
      if (!policy?.includes("script-src 'self';"))
        throw new Error(`${response.url}: expected a policy for scripts, got ${policy}`);
    }
  }
}

async function expect(status: number, url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status === status) return response;
  const got = `${response.status} ${await response.text()}`;
  throw new Error(`${init?.method ?? 'GET'} ${url}: expected ${status}, got ${got}`);
}

/** What the pattern's group stands for in the text. */
function getMatch(pattern: RegExp, text: string): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`expected ${pattern} in ${text.slice(0, 200)}`);
  return found;
}

async function within<Value>(limitMs: number, otherwise: string, event: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${otherwise} after ${limitMs} ms`)), limitMs);
  });
  return Promise.race([event, late]).finally(() => clearTimeout(timer));
}
