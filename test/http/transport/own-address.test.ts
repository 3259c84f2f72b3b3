// How the server names itself: by the option, by the request, by what a trusted proxy says of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrustedProxies } from '../../../src/http/callers/trusted-proxies.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import { words } from '../../support/words.ts';

const PROXY = '10.0.0.1';
const PROXIES = new TrustedProxies(['10.0.0.0/8']);
const BELOW = '/v3/index.json';

function named(
  headers: Readonly<Record<string, string>>,
  { address = PROXY, path = `/nuget${BELOW}`, own = new OwnAddress(undefined, PROXIES) } = {},
): string {
  const result = own.ofMount({ address, path, list: (name) => headers[name] ?? '' }, BELOW);
  return typeof result === 'string' ? result : `${result.problem.status} ${result.problem.code}`;
}

test('without a proxy, it is the Host of the request', () => {
  for (const host of words(
    'a.example a.example:8080 127.0.0.1:1 [::1]:8080 localhost a_b.example a.example.',
  )) {
    assert.equal(named({ host }), `http://${host}/nuget`);
  }
  assert.equal(named({ host: 'A.Example' }), 'http://a.example/nuget');
});

test('the mount is where the document was asked for', () => {
  const host = 'a.example';
  assert.equal(named({ host }, { path: `/own/place${BELOW}` }), 'http://a.example/own/place');
  assert.equal(named({ host }, { path: `/nuget/${BELOW}` }), 'http://a.example/nuget');
  assert.equal(named({ host }, { path: BELOW }), 'http://a.example');
});

test('a Host that is not an authority is refused', () => {
  const bad = [
    '',
    'a b',
    'a.example, b.example',
    'a.example/x',
    'u@a.example',
    'a.example:',
    'a.example:65536',
  ];
  for (const host of [
    ...bad,
    '-a',
    'a.example:99999',
    '[::1',
    'a"b',
    'a\\b',
    'a?b',
    'ä.example',
    'a'.repeat(254),
  ]) {
    assert.equal(named({ host }), '400 invalid_host', host);
  }
});

test('what a proxy says counts only if it is trusted', () => {
  const headers = {
    host: 'inside:8080',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'a.example',
  };
  assert.equal(named(headers), 'https://a.example/nuget');
  assert.equal(named(headers, { address: '203.0.113.9' }), 'http://inside:8080/nuget');
  const forwarded = { host: 'inside:8080', forwarded: 'for=203.0.113.9;proto=HTTPS;host="a.example:8443"' };
  assert.equal(named(forwarded), 'https://a.example:8443/nuget');
  assert.equal(named(forwarded, { address: '203.0.113.9' }), 'http://inside:8080/nuget');
  assert.equal(named({ ...headers, 'x-forwarded-proto': 'gopher' }), '400 invalid_host');
  assert.equal(named({ ...headers, 'x-forwarded-host': 'a b' }), '400 invalid_host');
});

test('the outermost trusted proxy is believed, and nobody outside of it', () => {
  const host = 'inside';
  for (const [client, list, found] of [
    ['203.0.113.9', 'evil.example, a.example', 'a.example'],
    ['203.0.113.9, 10.0.0.2', 'evil.example, a.example, middle', 'a.example'],
    ['203.0.113.9, 10.0.0.2', 'a.example', 'a.example'],
    ['10.0.0.3, 203.0.113.9', 'evil.example, a.example', 'a.example'],
    ['', 'evil.example, a.example', 'a.example'],
  ]) {
    assert.equal(
      named({ host, 'x-forwarded-for': client, 'x-forwarded-host': list }),
      `http://${found}/nuget`,
    );
  }
  for (const [forwarded, found] of [
    ['for=1.1.1.1;host=evil.example, for=203.0.113.9;host=a.example', 'a.example'],
    ['for=203.0.113.9;host=a.example, for=10.0.0.2;host=middle', 'a.example'],
    ['for=203.0.113.9;host=evil.example, for=203.0.113.9', 'inside'],
    ['for=203.0.113.9;host="a.example', 'inside'],
    ['host=evil.example;host=a.example', 'inside'],
  ]) {
    assert.equal(named({ host, forwarded }), `http://${found}/nuget`, forwarded);
  }
});

test('where the two forms disagree, neither counts', () => {
  const both = { host: 'inside', forwarded: 'host=a.example;proto=https' };
  assert.equal(named({ ...both, 'x-forwarded-host': 'b.example' }), 'https://inside/nuget');
  assert.equal(named({ ...both, 'x-forwarded-host': 'A.example' }), 'https://a.example/nuget');
  assert.equal(named({ ...both, 'x-forwarded-proto': 'http' }), 'http://a.example/nuget');
});

test('the option rules over every header', () => {
  const own = new OwnAddress('https://b.example/security', PROXIES);
  for (const headers of [{}, { host: 'a b' }, { host: 'a.example', 'x-forwarded-host': 'c.example' }]) {
    assert.equal(named(headers, { own }), 'https://b.example/security/nuget');
  }
});
