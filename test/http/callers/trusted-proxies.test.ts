// Whose request it is: what a proxy wrote counts, what a client forged does not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkProblem, TrustedProxies } from '../../../src/http/callers/trusted-proxies.ts';
import { words } from '../../support/words.ts';

const PROXY = '10.0.0.1';
const trusted = new TrustedProxies(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);

function clientOf(headers: Readonly<Record<string, string>>, address = PROXY): string {
  return trusted.clientOf({ address, list: (name) => headers[name] ?? '' });
}

test('nothing is believed of a peer that is not trusted', () => {
  for (const address of ['203.0.113.9', '11.0.0.1', '2001:db8::1', '192.0.2.8', '']) {
    const headers = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' };
    assert.equal(clientOf(headers, address), address);
  }
  const nobody = new TrustedProxies([]);
  assert.equal(nobody.clientOf({ address: PROXY, list: () => '198.51.100.1' }), PROXY);
});

test('a trusted proxy names its client, in either header', () => {
  for (const [list, client] of [
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['2001:DB8:0::9', '2001:db8::9'],
    ['[2001:db8::9]:4711', '2001:db8::9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
  ]) {
    for (const peer of [PROXY, 'fd00::1', '192.0.2.7'])
      assert.equal(clientOf({ 'x-forwarded-for': list }, peer), client, list);
  }
  for (const [list, client] of [
    ['for=203.0.113.9', '203.0.113.9'],
    ['For="203.0.113.9:4711"', '203.0.113.9'],
    ['proto=https;FOR="[2001:db8::9]:4711";by=_edge', '2001:db8::9'],
    ['for="[2001:db8::9]:_port"; host="a\\"b,c"', '2001:db8::9'],
    ['for="\\203.0.113.9"', '203.0.113.9'],
  ]) {
    assert.equal(clientOf({ forwarded: list }), client, list);
  }
  assert.equal(clientOf({}), PROXY);
});

test('a list is read from the right, past the proxies that are trusted and no further', () => {
  for (const [list, client] of [
    ['1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9, 10.0.0.2, fd00::2', '203.0.113.9'],
    ['10.1.1.1, 10.0.0.2', '10.1.1.1'], // a client inside the trusted network
    ['what, 203.0.113.9', '203.0.113.9'],
  ]) {
    assert.equal(clientOf({ 'x-forwarded-for': list }), client, list);
    const forwarded = list.split(', ').map((node) => `for="${node.includes(':') ? `[${node}]` : node}"`);
    assert.equal(clientOf({ forwarded: forwarded.join(', ') }), client, list);
  }
});

test('where a list has no address, the last good hop is the client', () => {
  for (const list of ['unknown', '_hidden', '', ' ', 'a b', '1.2.3.4.5', '1.2.3', '203.0.113.9,', '<script>'])
    assert.equal(clientOf({ 'x-forwarded-for': list }), PROXY, list);
  assert.equal(clientOf({ 'x-forwarded-for': '203.0.113.9, unknown, 10.0.0.2' }), '10.0.0.2');
  for (const list of [
    ...['for=unknown', 'for=_hidden', 'for=_SEVKISEK', 'for=', 'for', 'by=203.0.113.9', 'for=""', ';'],
    ...['for=203.0.113.9;for=198.51.100.1', 'for=203.0.113.9;', 'for=203.0.113.9,,for=198.51.100.1'],
    ...['for = 203.0.113.9', 'for=2001:db8::9', 'for="203.0.113.9', 'for="203.0.113.9"x', '203.0.113.9'],
  ]) {
    assert.equal(clientOf({ forwarded: list }), PROXY, list);
  }
});

test('a client cannot hide what a proxy appended to its own list', () => {
  for (const forged of [
    'for="9.9.9.9',
    'for=9.9.9.9;host="',
    'for=9.9.9.9;host="\\',
    'for=9.9.9.9;',
    'for=9.9.9.9, for="',
    '"',
    'for=9.9.9.9;host="a\\\\',
  ]) {
    for (const appended of ['for=203.0.113.9', 'for="[2001:db8::9]"', 'for="[2001:db8::9]:80";proto=https']) {
      const client = clientOf({ forwarded: `${forged}, ${appended}` });
      assert.ok(client === PROXY, `${forged}, ${appended}: ${client}`);
    }
  }
});

test('with both headers, the client counts if both name it; else the proxy, because one of them may be forged', () => {
  const real = { 'x-forwarded-for': '203.0.113.9' };
  assert.equal(clientOf({ ...real, forwarded: 'for=203.0.113.9' }), '203.0.113.9');
  assert.equal(clientOf({ ...real, forwarded: 'for=198.51.100.1, for=203.0.113.9' }), '203.0.113.9');
  for (const forwarded of ['for=198.51.100.1', 'for=unknown', 'for=203.0.113.9;', 'x'])
    assert.equal(clientOf({ ...real, forwarded }), PROXY, forwarded);
});

test('a list that is longer than any chain of proxies is not read', () => {
  const long = `${'1.1.1.1, '.repeat(300)}203.0.113.9`;
  assert.ok(long.length > 2048);
  assert.equal(clientOf({ 'x-forwarded-for': long }), PROXY);
  assert.equal(clientOf({ forwarded: `${'for=1.1.1.1, '.repeat(300)}for=203.0.113.9` }), PROXY);
  assert.equal(clientOf({ 'x-forwarded-for': `${'1.1.1.1, '.repeat(200)}203.0.113.9` }), '203.0.113.9');
});

test('networks are addresses and CIDR blocks of either family, and nothing else', () => {
  for (const text of words('10.0.0.1 10.0.0.7/8 0.0.0.0/0 ::1 fd00::/8 ::ffff:10.0.0.0/104 ::/0'))
    assert.equal(networkProblem(text), undefined, text);
  for (const text of [
    ...['', 'localhost', '10.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129'],
    ...[...words('10.0.0.0/255.0.0.0 10.0.0.1:80 [::1] fe80::1%eth0 * ::ffff:10.0.0.0/8'), '10.0.0.0/8 '],
  ]) {
    assert.match(
      networkProblem(text) ?? '',
      /is not an IP address or a CIDR block, such as 10\.0\.0\.1/,
      text,
    );
  }
  const mapped = new TrustedProxies(['::ffff:10.0.0.0/104']);
  // Both headers: unlike forms.
  assert.equal(mapped.clientOf({ address: '10.9.9.9', list: () => '203.0.113.9' }), '10.9.9.9');
  const list = (name: string): string => (name === 'forwarded' ? '' : '203.0.113.9');
  assert.equal(mapped.clientOf({ address: '10.9.9.9', list }), '203.0.113.9');
  assert.equal(mapped.clientOf({ address: '11.9.9.9', list }), '11.9.9.9');
});
