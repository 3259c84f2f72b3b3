import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { wholeOf } from '../../../src/fleet/objects/body.ts';
import { HttpsTarget, type HttpsTargetOptions } from '../../../src/fleet/objects/https-target.ts';
import type { ObjectContent } from '../../../src/fleet/objects/objects.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { freePort } from '../../support/process/ports.ts';
import { type Answer, startWebServer, type WebServer } from '../../support/serving/web-server.ts';
import { until } from '../../support/until.ts';

const { signal } = new AbortController();

function bytesOf(text: string): ObjectContent {
  return { kind: 'bytes', bytes: Buffer.from(text), type: 'application/json', cacheControl: 'no-cache' };
}

function targetAt(t: TestContext, url: URL, options: HttpsTargetOptions = {}): HttpsTarget {
  const target = new HttpsTarget(url, { environment: {}, wait: async () => {}, ...options });
  t.after(() => target.close());
  return target;
}

/** A server that stores, and obeys conditions. */
function storing(objects: Map<string, Buffer>): Answer {
  return ({ method, url, headers, bytes }, response) => {
    const found = objects.get(url);
    if (method === 'PUT') {
      const isChanged =
        headers['if-none-match'] === '*' ? found !== undefined : headers['if-match'] === '"0"';
      if (!isChanged) objects.set(url, bytes);
      response.writeHead(isChanged ? 412 : 201).end();
    } else if (found === undefined) response.writeHead(404).end();
    else response.end(found);
  };
}

async function refusing(t: TestContext, status: number, body: string): Promise<WebServer> {
  return startWebServer(t, (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  });
}

test('objects are put below the folder, with the password of the URL or the header of a file', async (t) => {
  const objects = new Map<string, Buffer>();
  const server = await startWebServer(t, storing(objects));
  for (const path of ['/a', '/a/', '/a/latest.json']) {
    const url = new URL(path, server.url);
    url.username = 'publisher';
    url.password = 'a password';
    const target = targetAt(t, url);
    assert.equal(target.shownAs, new URL('/a/', server.url).href);
    assert.equal(await target.put('latest.json', bytesOf(path), signal), 'stored');
    assert.equal(objects.get('/a/latest.json')?.toString(), path);
  }
  const basic = `Basic ${Buffer.from('publisher:a password').toString('base64')}`;
  assert.equal(
    server.asked.every(({ headers }) => headers.authorization === basic),
    true,
  );

  const target = targetAt(t, server.url, { authorization: 'Bearer a-long-token' });
  await target.put('snapshots/x', bytesOf('1'), signal);
  assert.equal(server.asked.at(-1)?.headers.authorization, 'Bearer a-long-token');
  assert.equal(await target.put('snapshots/x', bytesOf('2'), signal, { kind: 'absent' }), 'changed');
  assert.equal(await target.list(), undefined);
});

test('a refusal says what to do, and shows no password', async (t) => {
  const cases = [
    [401, /password in the URL/],
    [403, /allow these credentials/],
    [405, /takes no PUT/],
    [409, /create_full_put_path/],
    [413, /client_max_body_size/],
  ] as const;
  for (const [status, message] of cases) {
    const server = await refusing(t, status, '<p>a-long-token is not welcome</p>');
    const target = targetAt(t, server.url, { authorization: 'Bearer a-long-token' });
    await assert.rejects(target.put('x', bytesOf('1'), signal), (error: Error & { isPassing?: boolean }) => {
      assert.match(error.message, message);
      assert.equal(error.message.includes('a-long-token'), false, error.message);
      assert.equal(error.isPassing, false);
      return true;
    });
  }
  const busy = targetAt(t, (await refusing(t, 503, '')).url);
  await assert.rejects(busy.put('x', bytesOf('1'), signal), { name: 'ObjectError', isPassing: true });
});

test('a server that knows no conditions says so, or stores', async (t) => {
  const { url } = await refusing(t, 501, '');
  assert.equal(await targetAt(t, url).put('x', bytesOf('1'), signal, { kind: 'absent' }), 'unable');
  await assert.rejects(targetAt(t, url).put('x', bytesOf('1'), signal), /status 501/);
});

test('a server that accepts and does not store, or half, is found out', async (t) => {
  const form = await startWebServer(t, (_, response) => {
    response.end('<form></form>');
  });
  await assert.rejects(
    targetAt(t, form.url).put('x', bytesOf('1'), signal),
    /13 bytes there and not 1; check/,
  );
  const nothing = await startWebServer(t, ({ method }, response) => {
    response.writeHead(method === 'PUT' ? 204 : 404).end();
  });
  await assert.rejects(targetAt(t, nothing.url).put('x', bytesOf('1'), signal), /not there afterwards/);
});

test('http is for this machine, unless it is allowed', (t) => {
  assert.throws(() => new HttpsTarget(new URL('http://files.example/')), /--to: .*not encrypted/);
  targetAt(t, new URL('http://files.example/'), { mayBeHttp: true });
});

const nginx = spawnSync('nginx', ['-V'], { encoding: 'utf8' });
const whyNoNginx =
  nginx.error === undefined && /http_dav/.test(nginx.stderr) ? false : 'nginx is not installed';

test('a folder of nginx takes objects', { skip: whyNoNginx }, async (t) => {
  const folder = temporaryFolder(t);
  const port = await freePort();
  mkdirSync(join(folder, 'root'));
  mkdirSync(join(folder, 'tmp'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/tmp/${name};`,
  );
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events {}
    http { access_log off; ${temporary.join(' ')} server { listen 127.0.0.1:${port}; root ${folder}/root;
      client_max_body_size 1m; dav_methods PUT; create_full_put_path on; } }`;
  writeFileSync(join(folder, 'conf'), config);
  const child = spawn('nginx', ['-c', join(folder, 'conf')], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const url = new URL(`http://127.0.0.1:${port}/fleet/`);
  await until('nginx answers', () =>
    fetch(url).then(
      ({ status }) => status > 0,
      () => false,
    ),
  );
  const target = targetAt(t, url);
  const path = join(folder, 'snapshot');
  writeFileSync(path, 'a snapshot');
  const file = { kind: 'file', path, bytes: 10, sha256: '', type: 'a/b', cacheControl: 'no-cache' } as const;
  assert.equal(await target.put('snapshots/x', file, signal), 'stored');
  const found = await target.get('snapshots/x', { signal });
  assert.ok(found.kind === 'found');
  assert.equal((await wholeOf(found.body, 100, 'x')).toString(), 'a snapshot');
  await assert.rejects(target.put('y', bytesOf('x'.repeat(2_000_000)), signal), /status 413|no answer/);
});
