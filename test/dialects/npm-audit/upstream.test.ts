// Redirects to the registry behind the server: what a client that has `registry=http://host/npm/` asks beside
// audits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import { npmAudit } from '../../../src/dialects/npm-audit/npm-audit.ts';
import { npmUpstream } from '../../../src/dialects/npm-audit/upstream.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter } from '../../../src/http/callers/rate-limit.ts';
import type { Reply } from '../../../src/http/replies/responses.ts';
import { Service } from '../../../src/http/service.ts';
import { words } from '../../support/words.ts';

const REGISTRY = 'https://registry.example';

function serviceWith(upstream: string): (path: string, method?: string) => Reply {
  const ring = new KeyRing(buildKeyTable({ tiers: {}, keys: [] }));
  const service = new Service({
    dialects: [patchstack, npmAudit, npmUpstream(upstream)],
    generation: () => undefined,
    keys: () => ring,
    limiter: new RateLimiter(),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'snapshot',
    nowMs: () => 0,
    makeRequestId: () => 'made-up',
    onInternalError: (error) => {
      throw error;
    },
  });
  return (target, method = 'GET') => {
    const [path, query = ''] = target.split('?');
    const reply = service.handle({
      method,
      path,
      query,
      address: '127.0.0.1',
      header: () => '',
      list: () => '',
    });
    assert.ok(!('kind' in reply), `${target} wants a body`);
    return reply;
  };
}

function locationOf(reply: Reply): string {
  return reply.headers.fields.find(([name]) => name === 'Location')?.[1] ?? `${reply.status}`;
}

test('every path below the mount is redirected as it was sent, with its query, whatever the method', () => {
  const ask = serviceWith(`${REGISTRY}/`);
  for (const path of words(`
    /lodash /@scope%2fname /@scope/name/-/name-1.0.0.tgz /all /-/v1/search?text=a%20b&size=20 /-/npm/v1/keys
    /-/npm/v1/security /-/package/%40scope%2Fname/dist-tags/latest /
  `)) {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST']) {
      const reply = ask(`/npm${path}`, method);
      assert.equal(reply.status, 307, `${method} ${path}`);
      assert.equal(locationOf(reply), `${REGISTRY}${path}`);
      assert.equal(reply.about.label, 'npm-upstream');
    }
  }
});

test('repeated slashes around the mount belong to whoever joined the address, and to the registry', () => {
  const ask = serviceWith(REGISTRY);
  for (const path of ['/npm/lodash', '//npm/lodash', '///npm/lodash']) {
    assert.equal(locationOf(ask(path)), `${REGISTRY}/lodash`);
  }
  assert.equal(locationOf(ask('//npm//lodash')), `${REGISTRY}//lodash`);
});

test('audits are answered here, and other paths of the server stay as they are', () => {
  const ask = serviceWith(REGISTRY);
  const bulk = '/-/npm/v1/security/advisories/bulk';
  assert.equal(ask(`/npm${bulk}`, 'POST').status, 401);
  assert.equal(ask(`/npm${bulk}`).status, 405);
  assert.equal(ask('/all').status, 401);
  assert.equal(ask('/lodash').status, 404);
  assert.equal(ask('/npmlodash').status, 404);
  assert.equal(ask('/healthz').status, 200);
});

test('no path leaves the registry', () => {
  for (const upstream of [REGISTRY, 'http://host:4873', `${REGISTRY}/api/npm/team/`]) {
    const ask = serviceWith(upstream);
    const base = new URL(upstream.endsWith('/') ? upstream : `${upstream}/`);
    for (const path of [
      ...words(`
        /npm//evil.example //npm/evil.example //npm//evil.example/x ////npm////evil.example
        /npm///evil.example /npm/\\evil.example /npm/\\\\evil.example /npm/@evil.example /npm/:80@evil.example
        /npm/%0d%0aX-Evil:1
      `),
      '/npm/a\r\nX-Evil: 1',
      '/npm/a\tb c',
      '/npm/é\u0000\ud800🎈',
      '/npm/a?b=\r\nX: 1',
      '/npm/#/x',
      '/npm/https://evil.example/',
    ]) {
      const location = locationOf(ask(path));
      const target = new URL(location);
      assert.equal(target.origin, base.origin, `${path} -> ${location}`);
      assert.ok(target.pathname.startsWith(base.pathname), `${path} -> ${location}`);
      assert.equal(target.username, '', location);
      assert.match(location, /^[\x21-\x7e]+$/);
    }
  }
});

test('a path that steps back is not redirected', () => {
  const ask = serviceWith(`${REGISTRY}/api/npm`);
  for (const path of words(`
    /.. /a/../b /%2e%2e/x /.%2E/x /a/.. /./a /\\..\\x /%5c..%5Cx /a%5c.. /..%2fx /@a%2f..%2F..%2fx /a%2f%2E%2e
    /a/..;b/x
  `)) {
    assert.equal(ask(`/npm${path}`).status, 404, path);
  }
  for (const path of ['/...', '/a..b', '/.a', '/a.', '/@a%2f.b', '/@a%2fb..'])
    assert.equal(ask(`/npm${path}`).status, 307, path);
});

test('only the address of a registry is accepted', () => {
  for (const text of [
    '',
    ...words('registry.example ftp://registry.example javascript:alert(1) file:///etc'),
  ]) {
    assert.throws(() => npmUpstream(text), TypeError, text);
  }
  for (const more of ['?a=1', '#a']) assert.throws(() => npmUpstream(`${REGISTRY}/${more}`), TypeError);
  assert.throws(() => npmUpstream('https://user:secret@registry.example'), {
    name: 'TypeError',
    message:
      'the address of a registry must begin with http:// or https:// and have no user, query or fragment',
  });
});
