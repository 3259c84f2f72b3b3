// The rest of a mount, and the redirects that answer it, over each transport. Other routes are tested with
// the dialects that have them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import { composer } from '../../../src/dialects/composer/composer.ts';
import { pageRoutes } from '../../../src/dialects/page-routes.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter } from '../../../src/http/callers/rate-limit.ts';
import { SILENT_OBSERVER } from '../../../src/http/observer.ts';
import { redirect } from '../../../src/http/replies/responses.ts';
import { makeStaticFiles } from '../../../src/http/replies/static-files.ts';
import type { Dialect } from '../../../src/http/routing/dialect.ts';
import { RouteTable } from '../../../src/http/routing/routes.ts';
import { Service } from '../../../src/http/service.ts';
import { toy } from '../../support/serving/toy-dialect.ts';
import { overEach } from '../../support/serving/transport-scene.ts';
import { open, type Wire, type WireReply } from '../../support/serving/wire.ts';

const ELSEWHERE = 'https://elsewhere.example/base';

/** Sends everything below its mount elsewhere. */
function moving(path: string): Dialect {
  return {
    ...toy,
    name: 'moving',
    mounts: [{ path, description: '' }],
    routes: [
      {
        kind: 'rest',
        label: 'toy-page',
        answer: ({ query }, below) => {
          if (below === '/fault') throw new Error('told to fail');
          return redirect(ELSEWHERE + below + (query === '' ? '' : `?${query}`));
        },
      },
    ],
  };
}

const FILES = makeStaticFiles([{ path: '/', contentType: 'text/html', bytes: Buffer.from('the console') }]);
const PAGES = pageRoutes({ console: FILES, docs: FILES, absence: undefined });

overEach(async ({ listen }) => {
  const errors: unknown[] = [];
  const labels: string[] = [];
  const service = new Service({
    dialects: [patchstack, toy, moving('/toy/v1'), PAGES],
    generation: () => undefined,
    keys: () => new KeyRing(buildKeyTable({ tiers: {}, keys: [] })),
    limiter: new RateLimiter(),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'clock',
    nowMs: () => 0,
    makeRequestId: () => 'made-up',
    onInternalError: (error) => errors.push(error),
  });
  const observer = { ...SILENT_OBSERVER, ended: (label: string) => void labels.push(label) };
  const { port, close } = await listen({ service, host: '127.0.0.1', port: 0, observer }).then((http) => ({
    port: http.port,
    close: () => http.close(),
  }));
  after(close);

  async function ask(wire: Wire, line: string, rest = ''): Promise<WireReply> {
    wire.send(`${line} HTTP/1.1\r\nHost: x\r\n${rest}\r\n`);
    return wire.reply({ hasBody: !line.startsWith('HEAD') });
  }

  test('a path below the mount that has no route is sent elsewhere, with its query, as it was written', async (t) => {
    const wire = open(t, port);
    for (const [target, location] of [
      ['/toy/v1/a', '/a'],
      ['/toy/v1/', '/'],
      ['/toy/v1/a/b?c=d&e', '/a/b?c=d&e'],
      ['/toy/v1/@scope%2fname/-/x.tgz', '/@scope%2fname/-/x.tgz'],
      ['/toy/v1/counts', '/counts'], // longer patterns begin like it
      ['/toy/v1//a//b/', '//a//b/'],
      ['//toy/v1/a', '/a'],
      ['///toy/v1/a', '/a'],
      ['/toy/v1/../../all', '/../../all'],
    ]) {
      const reply = await ask(wire, `GET ${target}`);
      assert.deepEqual([reply.status, reply.headers.get('location')], [307, ELSEWHERE + location], target);
      assert.equal(reply.headers.get('cache-control'), 'no-cache');
      assert.equal(reply.body, '');
    }
    assert.deepEqual([...new Set(labels.splice(0))], ['toy-page']);
  });

  test('so is any method, with its body unread, and the connection stays usable', async (t) => {
    const wire = open(t, port);
    for (const method of ['HEAD', 'GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? '{"a":1}' : '';
      const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
      wire.send(`${method} /toy/v1/a?b HTTP/1.1\r\nHost: x\r\n${length}\r\n${body}`);
      const reply = await wire.reply({ hasBody: method !== 'HEAD' });
      assert.deepEqual([reply.status, reply.headers.get('location')], [307, `${ELSEWHERE}/a?b`], method);
    }
    const chunked = await ask(wire, 'POST /toy/v1/a', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n');
    assert.equal(chunked.status, 307);
    assert.equal((await ask(wire, 'GET /healthz')).body, '{"status":"ok"}');
  });

  test('the routes and files of the mount still answer, and so do other mounts', async (t) => {
    const wire = open(t, port);
    assert.equal((await ask(wire, 'GET /toy/v1/counts/npm')).status, 403);
    assert.equal((await ask(wire, 'DELETE /toy/v1/counts/npm')).status, 405);
    assert.equal((await ask(wire, 'GET /toy/v1/page/parts/toy.js')).status, 200);
    assert.equal((await ask(wire, 'GET /toy/v1/page/none')).status, 307);
    for (const path of ['/toy', '/toy/v1', '/toy/v2/a', '/a', '/'])
      assert.equal((await ask(wire, `GET ${path}`)).status, 404, path);
  });

  test('a browser that asks for the root is sent to the console, a program gets the 404', async (t) => {
    const wire = open(t, port);
    const html = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n';
    for (const line of ['GET /', 'HEAD /', 'GET /?a=b']) {
      const reply = await ask(wire, line, html);
      assert.deepEqual([reply.status, reply.headers.get('location')], [307, 'console/'], line);
    }
    for (const [line, accept] of [
      ['GET /', ''],
      ['GET /', 'Accept: */*\r\n'],
      ['GET /', 'Accept: application/json\r\n'],
      ['POST /', html],
      ['GET /nowhere', html],
    ]) {
      const reply = await ask(wire, line, accept);
      assert.equal(reply.status, 404, line);
      assert.equal(reply.headers.get('content-type'), 'application/problem+json', line);
    }
  });

  test('an error there is a 500 without details', async (t) => {
    const wire = open(t, port);
    const reply = await ask(wire, 'GET /toy/v1/fault');
    assert.deepEqual([reply.status, reply.body.includes('told')], [500, false]);
    assert.deepEqual(errors.splice(0).map(String), ['Error: told to fail']);
  });
});

test('what is not a path is not below the root either', () => {
  const table = new RouteTable([moving('')]);
  assert.equal(table.find('GET', '/a').kind, 'rest');
  for (const target of ['*', 'http://elsewhere.example/', 'a.example:443', ''])
    assert.equal(table.find('GET', target).kind, 'not-found', target);
});

test('only one dialect can have the rest of a mount', () => {
  assert.throws(() => new RouteTable([moving('/a'), moving('/a')]), /another dialect answers the rest/);
});

test('a slash may follow the path of a route that says so, and of no other', () => {
  const table = new RouteTable([patchstack, composer]);
  const kindOf = (method: string, path: string): string => table.find(method, path).kind;
  for (const path of ['/composer/api/filter', '/composer/api/filter/', '/composer//api/filter/']) {
    assert.equal(kindOf('POST', path), 'route', path);
    assert.equal(kindOf('GET', path), 'wrong-method', path);
  }
  assert.equal(kindOf('POST', '/composer/api/filter//'), 'not-found');
  assert.equal(kindOf('POST', '/composer/api/filter/x'), 'not-found');
  assert.equal(kindOf('GET', '/composer/packages.json/'), 'not-found');
  assert.equal(kindOf('POST', '/batch/'), 'not-found');
});
