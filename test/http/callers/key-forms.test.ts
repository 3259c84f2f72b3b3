// How clients send keys: each form as the client sends it, and what is not a key.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '../../../src/access/keys-file.ts';
import { authorizationKey, KEY_HEADERS, readKey } from '../../../src/http/callers/key-forms.ts';

const KEY = makeKey();

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

/** The key of a request, and the headers that were read for it. */
function read(headers: Readonly<Record<string, string>>): [key: string, read: readonly string[]] {
  const names: string[] = [];
  const header = (name: string): string => {
    names.push(name);
    return headers[name] ?? '';
  };
  return [readKey({ header }), names];
}

test('every form that clients have carries the key', () => {
  for (const value of [
    `Bearer ${KEY}`,
    `Bearer cli-${KEY}`, // wordfence-cli
    `Token token=${KEY}`, // clients of WPScan
    `Token token="${KEY}"`,
    `Token token=${KEY}, nonce="1"`,
    basic(`user:${KEY}`), // npm's `_auth`, `https://user:KEY@host/`
    basic(`:${KEY}`),
    basic(`${KEY}:`), // `https://KEY@host/`
    basic(KEY),
  ]) {
    assert.equal(authorizationKey(value), KEY, value);
    const scheme = value.slice(0, value.indexOf(' '));
    const rest = value.slice(scheme.length);
    for (const spelled of [scheme.toLowerCase(), scheme.toUpperCase()])
      assert.equal(authorizationKey(`${spelled}   ${rest}`), KEY, `${spelled}   ${rest}`);
  }
});

test('a password may contain a colon, and characters beyond ASCII', () => {
  assert.equal(authorizationKey(basic('user:a:b')), 'a:b');
  assert.equal(authorizationKey(basic('user:schlüssel')), 'schlüssel');
});

test('PSKey wins over Authorization, even if its key is invalid, and then nothing else is read', () => {
  assert.deepEqual(read({ pskey: 'one', authorization: `Bearer ${KEY}` }), ['one', ['pskey']]);
  assert.deepEqual(read({ authorization: `Bearer ${KEY}` }), [KEY, ['pskey', 'authorization']]);
  assert.deepEqual(read({}), ['', ['pskey', 'authorization']]);
  assert.deepEqual(
    KEY_HEADERS.map((name) => name.toLowerCase()),
    ['pskey', 'authorization'],
  );
});

test('what is in none of these forms is not a key', () => {
  for (const value of [
    ...['', ' ', KEY, 'Bearer', 'Bearer ', 'Bearer    ', `Bearer${KEY}`, `Digest ${KEY}`],
    ...['Token', 'Token ', `Token ${KEY}`, 'Token token=', 'Token token=""', 'Token token="unclosed'],
    ...['Basic', 'Basic ', 'Basic two', 'Basic ===', 'Basic ====', 'Basic not*base64', basic(':')],
    'Basic dXNlcjprZXk', // without its padding
  ]) {
    assert.equal(authorizationKey(value), '', value);
  }
});

test('only the prefix of wordfence-cli is removed, and only where there is more', () => {
  assert.equal(authorizationKey('Bearer cli-'), 'cli-');
  assert.equal(authorizationKey('Bearer cli-cli-one'), 'cli-one');
  assert.equal(authorizationKey('Bearer CLI-one'), 'CLI-one');
  assert.equal(authorizationKey(basic('user:cli-one')), 'cli-one');
  assert.deepEqual(read({ pskey: 'cli-one' })[0], 'cli-one');
  assert.ok(!KEY.startsWith('cli-'));
});

test('bytes that are not text, and credentials of any length, are only keys that do not work', () => {
  assert.equal(
    authorizationKey(`Basic ${Buffer.from([0x75, 0x3a, 0xff, 0x00]).toString('base64')}`),
    '\ufffd\0',
  );
  const long = authorizationKey(basic(`user:${'k'.repeat(12_000)}`));
  assert.ok(long.length > 512, 'longer than any valid key');
  assert.equal(authorizationKey(basic(`user:${'k'.repeat(512)}`)), 'k'.repeat(512));
});
