// The pages as built and served: what the build makes, and what a browser gets from a whole process, over
// both transports and on both ports. What the pages do is tested in browsers.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { feedRecord } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeAccess } from '../support/process/access.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { USUAL_TRANSPORTS } from '../support/serving/transports.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';

const MAX_FIRST_VIEW_BYTES = 60_000;
const program = builtProgram();
const built = dirname(program);
const CODED = /\.(?:br|gz)$/;

function filesOf(page: string): readonly string[] {
  return readdirSync(join(built, page)).filter((name) => !CODED.test(name));
}

const read = (page: string, name: string): Buffer => readFileSync(join(built, page, name));

async function start(
  t: TestContext,
  options: Readonly<Record<string, string>> = {},
  entry = program,
): Promise<ServerProcess> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  await compileRecords(snapshots, [feedRecord(1)], {});
  const { file } = writeAccess(join(folder, 'keys.json'));
  return ServerProcess.start(t, { snapshots, keys: file, workers: 1, entry, options });
}

test('each page has one index, whose every reference is a file beside it, and nothing inline', () => {
  for (const page of ['console', 'docs']) {
    const names = filesOf(page);
    const html = read(page, 'index.html').toString();
    const references = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, name]) => name);
    assert.ok(
      references.some((name) => name.endsWith('.js')) && references.some((name) => name.endsWith('.css')),
    );
    for (const name of references) {
      if (name === '../openapi.json') continue;
      assert.match(name, /^\.\/[\w-]+-[\dA-Z]{8}\.\w+$/, page);
      assert.ok(names.includes(name.slice(2)), `${page}: ${name}`);
    }
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/i);
    const loaded = names.filter((name) => name !== 'index.html' && name !== 'licenses.txt');
    for (const name of loaded) assert.match(name, /-[\dA-Z]{8}\.\w+$/, `${page}: a browser may keep ${name}`);
    assert.ok(!readdirSync(join(built, page), { withFileTypes: true }).some((each) => each.isDirectory()));
  }
});

test('the first view is within its budget, and every script that a script loads is there', () => {
  const names = filesOf('console');
  const html = read('console', 'index.html').toString();
  const sizes = names
    .filter((name) => name === 'index.html' || html.includes(name))
    .map((name) =>
      Math.min(read('console', name).length, gzipSync(read('console', name), { level: 9 }).length),
    );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total > 1_000 && total <= MAX_FIRST_VIEW_BYTES, `${total} bytes`);
  for (const name of names.filter((each) => each.endsWith('.js'))) {
    const text = read('console', name).toString();
    for (const [, file] of text.matchAll(/["']\.\/([\w-]+\.js)["']/g))
      assert.ok(names.includes(file), `${name}: ${file}`);
  }
});

test('coded forms are those of the file beside them, and smaller', () => {
  for (const page of ['console', 'docs']) {
    const coded = readdirSync(join(built, page)).filter((name) => CODED.test(name));
    assert.ok(coded.length > 4);
    for (const name of coded) {
      const [bytes, plain] = [read(page, name), read(page, name.replace(CODED, ''))];
      const decode = name.endsWith('.br') ? brotliDecompressSync : gunzipSync;
      assert.ok(decode(bytes).equals(plain) && bytes.length < plain.length, `${page}/${name}`);
    }
  }
});

test('the licences of what is bundled come along', () => {
  const text = read('console', 'licenses.txt').toString();
  for (const bundled of ['preact', 'uplot'])
    assert.match(text, new RegExp(`^${bundled} \\d+\\.\\d+\\.\\d+ \\((?:MIT|ISC)\\)$`, 'm'));
  assert.match(text, /^The above copyright notice and this permission notice shall be included/m);
  assert.match(read('docs', 'licenses.txt').toString(), /^swagger-ui-dist \d+\.\d+\.\d+ \(Apache-2\.0\)$/m);
});

test('a build that fails, as one above the budget, says why and leaves the pages of the last one', (t) => {
  const folder = temporaryFolder(t);
  const copy = join(folder, 'repository');
  const read = ['src/console', 'src/inventory', 'src/index', 'src/dialects/operations/document.ts'];
  for (const path of ['scripts', ...read, 'package.json'])
    cpSync(path, join(copy, path), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  const target = join(folder, 'out');
  const script = join(copy, 'scripts', 'build-console.ts');
  const build = () => spawnSync(process.execPath, ['--import', 'tsx', script, target], { encoding: 'utf8' });
  const first = build();
  assert.equal(first.status, 0, first.stderr);
  const before = readdirSync(join(target, 'console'));
  const failsWith = (message: RegExp): void => {
    const { status, stderr } = build();
    assert.equal(status, 1);
    assert.match(stderr, message);
    assert.deepEqual(readdirSync(target).sort(), ['console', 'docs']);
    assert.deepEqual(readdirSync(join(target, 'console')), before);
  };
  writeFileSync(join(copy, 'src', 'console', 'icon.svg'), randomBytes(MAX_FIRST_VIEW_BYTES));
  failsWith(
    /^build-console: the console's first view has \d+ bytes .* its budget of 60000: load parts of it later\n *\d+ /,
  );
  writeFileSync(join(copy, 'src', 'console', 'main.tsx'), 'import "./nowhere.css";');
  failsWith(/^build-console: .*nowhere\.css/s);
});

for (const { kind, skip } of USUAL_TRANSPORTS) {
  test(`over ${kind}, a process serves the pages on both ports`, { skip }, async (t) => {
    const server = await start(t, { transport: kind });
    const [service, operations] = [server.port, server.opsPort].map((port) => `http://127.0.0.1:${port}`);
    assert.match(server.printed, new RegExp(`^console on ${service}/console/$`, 'm'));
    for (const [base, pages, port] of [
      [service, ['console', 'docs'], 'service'],
      [operations, ['console'], 'operations'],
    ] as const) {
      for (const page of pages) {
        const index = await fetch(`${base}/${page}`); // follows the redirect
        assert.equal(index.url, `${base}/${page}/`);
        assert.equal(await index.text(), read(page, 'index.html').toString());
        for (const name of filesOf(page).filter((each) => each !== 'index.html')) {
          const response = await fetch(`${base}/${page}/${name}`);
          assert.equal(response.status, 200, name);
          assert.match(
            response.headers.get('content-security-policy') ?? '',
            /^default-src 'none'; script-src 'self';/,
          );
          assert.ok(Buffer.from(await response.arrayBuffer()).equals(read(page, name)), name);
        }
      }
      const settings = await (await fetch(`${base}/console/settings.json`)).json();
      assert.deepEqual((settings as { port: string }).port, port);
    }
    assert.match(
      (await server.ops('metrics')).text,
      /vulndex_requests_total\{[^}]*endpoint="console"[^}]*\} [1-9]/,
    );
    assert.equal(server.errors, '');
  });
}

test('--no-console leaves both ports without pages', async (t) => {
  const server = await start(t, { console: 'false' });
  for (const port of [server.port, server.opsPort]) {
    for (const path of ['/console', '/console/', '/docs/']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      assert.equal(response.status, 404, path);
      assert.doesNotMatch(await response.text(), /console|build/);
    }
  }
  assert.doesNotMatch(server.printed, /console/);
});

test('without a keys file the printed address opens the console with the key of the run, which no log line has', async (t) => {
  const folder = temporaryFolder(t);
  const words = [
    program,
    'serve',
    '--snapshots',
    folder,
    '--port',
    '0',
    '--ops-port',
    '0',
    '--drain-seconds',
    '0',
  ];
  const server = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'close');
  t.after(async () => {
    server.kill('SIGKILL');
    await ended;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    lines.push(line);
    if (line.startsWith('listening on ')) server.kill('SIGTERM');
  }
  const [, key] = /^no keys file; key for this run: (\S+)$/m.exec(lines.join('\n')) ?? [];
  const address = lines.find((line) => line.startsWith('listening on '))?.slice('listening on '.length);
  assert.ok(key !== undefined);
  assert.ok(lines.includes(`console on ${address}/console/#/lookup?key=${key}`), lines.join('\n'));
  assert.ok(!lines.some((line) => line.startsWith('{') && line.includes(key)));
});

/** The program as it is before the pages are built. */
function programWithoutPages(t: TestContext): string {
  const folder = temporaryFolder(t);
  const root = dirname(built);
  const hasPages = (path: string): boolean => path === join(built, 'console') || path === join(built, 'docs');
  for (const path of ['dist', 'package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (source) => !hasPages(source) });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'dist', 'cli.js');
}

test('where the pages are not built the rest is served, and their paths and the log say what to do', async (t) => {
  const server = await start(t, {}, programWithoutPages(t));
  for (const port of [server.port, server.opsPort]) {
    const response = await fetch(`http://127.0.0.1:${port}/console/`);
    const problem = (await response.json()) as { detail: string };
    assert.deepEqual([response.status, problem.detail.includes('npm run build')], [404, true]);
  }
  assert.equal((await server.ops('readyz')).status, 200);
  assert.equal((await server.told('the console is not built: run `npm run build`, then restart')).length, 1);
  assert.doesNotMatch(server.printed, /^console on/m);
});
