import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Environment, proxyFor } from '../../src/download/proxy.ts';

function chosen(url: string, environment: Environment): string | undefined {
  return proxyFor(new URL(url), environment);
}

test('the proxy goes by the protocol of the URL', () => {
  const environment = { HTTPS_PROXY: 'http://s.example:1', HTTP_PROXY: 'http://p.example:2' };
  assert.equal(chosen('https://a.example/', environment), 'http://s.example:1');
  assert.equal(chosen('http://a.example/', environment), 'http://p.example:2');
  assert.equal(chosen('https://a.example/', { HTTP_PROXY: 'http://p.example:2' }), undefined);
  assert.equal(chosen('https://a.example/', {}), undefined);
});

test('the lower-case name wins, an empty value is none, and a scheme may be missing', () => {
  assert.equal(
    chosen('http://a.example/', { http_proxy: 'http://l.example', HTTP_PROXY: 'http://u.example' }),
    'http://l.example',
  );
  assert.equal(chosen('http://a.example/', { http_proxy: '' }), undefined);
  assert.equal(chosen('http://a.example/', { http_proxy: 'p.example:3128' }), 'http://p.example:3128');
});

test('NO_PROXY names hosts, their domains, ports, or everything', () => {
  const direct = (url: string, list: string): boolean =>
    chosen(url, { https_proxy: 'http://p.example', no_proxy: list }) === undefined;
  assert.equal(direct('https://a.example/', 'b.example, a.example'), true);
  assert.equal(direct('https://x.a.example/', 'a.example'), true);
  assert.equal(direct('https://x.a.example/', '.a.example'), true);
  assert.equal(direct('https://x.a.example/', '*.a.example'), true);
  assert.equal(direct('https://nota.example/', 'a.example'), false);
  assert.equal(direct('https://A.example/', 'a.EXAMPLE'), true);
  assert.equal(direct('https://a.example/', '*'), true);
  assert.equal(direct('https://a.example/', 'a.example:443'), true);
  assert.equal(direct('https://a.example:8443/', 'a.example:443'), false);
  assert.equal(direct('https://a.example:8443/', 'b.example a.example:8443'), true);
  assert.equal(direct('https://127.0.0.1/', '127.0.0.1'), true);
  assert.equal(direct('https://[::1]/', '::1'), true);
  assert.equal(direct('https://[::1]:8443/', '[::1]:8443'), true);
  assert.equal(direct('https://a.example/', ''), false);
});
