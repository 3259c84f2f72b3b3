import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostProblem, opsOrderProblem } from '../../src/http/order-origin.ts';
import { phrases, words } from '../support/words.ts';

const GOOD = {
  'content-type': 'application/json; charset=utf-8',
  'x-vulndex-console': '1',
  host: '127.0.0.1:9481',
  origin: 'http://127.0.0.1:9481',
};

function codeOf(changes: Readonly<Record<string, string>>): string | undefined {
  const headers: Readonly<Record<string, string>> = { ...GOOD, ...changes };
  return opsOrderProblem({ header: (name) => headers[name] ?? '' })?.code;
}

function hostCodeOf(host: string, opsHost = '127.0.0.1'): string | undefined {
  return hostProblem({ header: (name) => (name === 'host' ? host : '') }, opsHost)?.code;
}

test('an order from the console itself, and from a program, may be followed', () => {
  assert.equal(codeOf({}), undefined);
  assert.equal(codeOf({ origin: '' }), undefined);
  assert.equal(codeOf({ 'content-type': 'Application/JSON' }), undefined);
});

test('a form, or any body that a page may send without asking, is refused', () => {
  for (const type of [
    '',
    ...phrases(`
      text/plain | application/x-www-form-urlencoded | multipart/form-data | text/plain; application/json
    `),
  ])
    assert.equal(codeOf({ 'content-type': type }), 'wrong_content_type', type);
});

test('the header that only a page of this listener can send is required', () => {
  for (const value of ['', '0', 'true', '1, 1'])
    assert.equal(codeOf({ 'x-vulndex-console': value }), 'console_header_missing', value);
});

test('the host must be an address, localhost or the operator’s own name: no other name may point here', () => {
  for (const host of words(`
    127.0.0.1 127.0.0.1:1 localhost:9481 LOCALHOST [::1]:9481 [fd00::1] 10.1.2.3:80
  `))
    assert.equal(hostCodeOf(host), undefined, host);
  for (const host of [
    '',
    ...words(`
      evil.example evil.example:9481 localhost.evil.example 127.0.0.1.evil.example ::1 [evil] a:b:c
    `),
  ])
    assert.equal(hostCodeOf(host), 'foreign_host', host);
  assert.equal(hostCodeOf('ops.internal:9481', 'Ops.internal'), undefined);
  assert.equal(hostCodeOf('ops.internal.', 'ops.internal'), 'foreign_host');
});

test('an origin, if there is one, must be the host', () => {
  assert.equal(codeOf({ host: '[::1]:9481', origin: 'http://[::1]:9481' }), undefined);
  assert.equal(codeOf({ origin: 'https://127.0.0.1:9481' }), undefined, 'behind a proxy that ends TLS');
  for (const origin of words(`
    null http://evil.example http://127.0.0.1 http://127.0.0.1:9480 http://127.0.0.1:9481.evil.example
    http://localhost:9481 file://
  `))
    assert.equal(codeOf({ origin }), 'foreign_origin', origin);
});
