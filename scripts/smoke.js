// Checks the README's run command: starts it on a free port, makes one authenticated request to each endpoint,
// follows the printed curl line and the printed address of the console, and stops it. With --packed, `vulndex demo` from the tarball of `npm pack`, installed
// in an empty folder. Exits 1 with what was expected and what was received.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_MS = 120_000;
const STOP_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'vulndex-smoke-'));
const options = [
  '--port',
  '0',
  '--ops-port',
  '0',
  '--drain-seconds',
  '0',
  '--snapshots',
  join(folder, 'data'),
];
const isPacked = process.argv.includes('--packed');
const [command, ...words] = isPacked ? [installPacked(), 'demo'] : ['npm', 'start', '--'];
const stdio = ['ignore', 'pipe', 'inherit'];
const cwd = isPacked ? folder : process.cwd();
const server = spawn(command, [...words, ...options], { stdio, cwd, detached: true });
let printed = '';

try {
  const address = await listening();
  const key = /key for this run: (\S+)/.exec(printed)?.[1];
  const headers = { PSKey: key };
  const curl = /curl -H 'PSKey: \S+' (\S+)/.exec(printed)?.[1];
  await expect(200, curl, { headers });
  await expect(401, `${address}/all`);
  const all = await expect(200, `${address}/all?per_page=1`, { headers });
  const [{ id }] = (await all.json()).vulnerabilities;
  await expect(200, `${address}/latest`, { headers });
  const snapshot = all.headers.get('etag').slice(1, 17);
  await expect(200, `${address}/changes?since=${snapshot}&snapshot=${snapshot}`, { headers });
  await expect(200, `${address}/database/api/npm/all?platform=npm&cursor=`, { headers });
  await expect(200, `${curl}/exists`, { headers });
  await expect(200, curl.replace('/product/', '/explain/'), { headers });
  await expect(200, `${address}/vulnerability/${id}`, { headers });
  const body = JSON.stringify([{ type: 'npm', name: 'anything', version: '1.0.0', exists: true }]);
  await expect(200, `${address}/batch`, { method: 'POST', headers, body });
  await expect(200, `${address}/openapi.json`);
  await expect(200, `${address}/healthz`);
  await expect(200, `${address}/readyz`);
  await checkPages(address, key);
  await stopped();
  if (!printed.includes('"advisories":20000,"withdrawn":48,'))
    throw new Error(`no count of withdrawn advisories:\n${printed}`);
  if (!printed.includes('"msg":"stopped"')) throw new Error(`the server did not stop cleanly:\n${printed}`);
  console.log(
    `${isPacked ? 'the packed command' : 'the run command'} serves every endpoint and stops on SIGTERM`,
  );
} finally {
  kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** The path of the command, installed from the tarball; its dependencies come from the registry. */
function installPacked() {
  const npm = (cwd, ...args) => {
    const { status, stdout } = spawnSync('npm', args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`npm ${args[0]} ended with status ${status}`);
    return stdout;
  };
  npm('.', 'run', '--silent', 'build');
  const [{ filename }] = JSON.parse(npm('.', 'pack', '--json', '--pack-destination', folder));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  npm(folder, 'install', '--omit=dev', '--no-audit', '--no-fund', `./${filename}`);
  return join(folder, 'node_modules', '.bin', 'vulndex');
}

function listening() {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`not listening after ${START_MS} ms:\n${printed}`)),
      START_MS,
    );
    server.once('exit', (code) => reject(new Error(`the server ended with status ${code}:\n${printed}`)));
    server.stdout.on('data', (chunk) => {
      printed += chunk;
      const address = /^listening on (\S+)$/m.exec(printed)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

async function expect(status, url, init) {
  const response = await fetch(url, init);
  if (response.status === status) return response;
  const got = `${response.status} ${await response.text()}`;
  throw new Error(`${init?.method ?? 'GET'} ${url}: expected ${status}, got ${got}`);
}

/** The printed address opens the console with the key of this run; the pages and their scripts come with a policy. */
async function checkPages(address, key) {
  const printedAddress = new URL(/^open: (\S+)$/m.exec(printed)?.[1] ?? 'missing:');
  const [view, query] = printedAddress.hash.split('?');
  if (view !== '#/lookup' || new URLSearchParams(query).get('key') !== key)
    throw new Error(`expected an address with the key of this run, got ${printedAddress}`);
  for (const folder of [new URL(printedAddress.pathname, address), new URL('/docs/', address)]) {
    const page = await expect(200, folder);
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    for (const response of [page, await expect(200, new URL(script, folder))]) {
      const policy = response.headers.get('content-security-policy');
      if (!policy?.includes("script-src 'self';"))
        throw new Error(`${response.url}: expected a policy for scripts, got ${policy}`);
    }
  }
}

/** Resolves when everything has ended after a SIGTERM to npm alone. The signal kills npm, so its status says nothing. */
function stopped() {
  server.removeAllListeners('exit');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`still running ${STOP_MS} ms after SIGTERM`)), STOP_MS);
    server.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    server.kill('SIGTERM');
  });
}

/** Signals the whole group: npm, its shell and the server. */
function kill(signal) {
  try {
    process.kill(-server.pid, signal);
  } catch {
    // already gone
  }
}
