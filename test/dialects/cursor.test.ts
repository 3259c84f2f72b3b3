import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cursorCodec } from '../../src/dialects/cursor.ts';

const codec = cursorCodec('toy1:');

test('a token decodes to the id it was made from', () => {
  for (const id of [1, 9, 10, 912034, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    const token = codec.encode(id);
    assert.match(token, /^[A-Za-z0-9_-]+$/, String(id));
    assert.equal(codec.decode(token), id);
  }
});

test('what the codec has not written is not a token', () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  const tokens = [
    '',
    '!',
    'next',
    encoded('toy1:'),
    encoded('toy1:0'),
    encoded('toy1:01'),
    encoded('toy1:1e3'),
  ];
  tokens.push(encoded('toy1:9007199254740992'), `${codec.encode(5)}=`, ` ${codec.encode(5)}`);
  for (const token of tokens) assert.equal(codec.decode(token), undefined, JSON.stringify(token));
});

test('a codec refuses the tokens of another', () => {
  for (const other of ['toy2:', 'v1:', 'osv1:', 'toy1']) {
    assert.equal(codec.decode(cursorCodec(other).encode(5)), undefined, other);
  }
});
