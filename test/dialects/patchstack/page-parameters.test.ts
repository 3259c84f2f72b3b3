import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCursor, encodeCursor } from '../../../src/dialects/patchstack/page-parameters.ts';

test('a cursor decodes to the id it was made from', () => {
  for (const id of [1, 9, 10, 912034, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    const token = encodeCursor(id);
    assert.match(token, /^[A-Za-z0-9_-]+$/, String(id));
    assert.equal(decodeCursor(token), id);
  }
});

test('a cursor is unpadded base64url of v1: and the id', () => {
  assert.equal(encodeCursor(912034), 'djE6OTEyMDM0');
  assert.equal(Buffer.from(encodeCursor(5), 'base64url').toString(), 'v1:5');
});

test('anything that does not decode and re-encode to itself is not a cursor', () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  const tokens = [
    '',
    ' ',
    '!',
    'next',
    '12',
    'null',
    'djE6',
    encoded('v1:'),
    encoded('v1:0'),
    encoded('v1:-1'),
    encoded('v1:+1'),
    encoded('v1: 1'),
    encoded('v1:1 '),
    encoded('v1:01'),
    encoded('v1:1.5'),
    encoded('v1:1e3'),
    encoded('v1:0x10'),
    encoded('v1:9007199254740992'),
    encoded('v1:9007199254740993'),
    encoded('v1:99999999999999999999'),
    encoded('v1:Infinity'),
    encoded('v2:1'),
    encoded('V1:1'),
    encoded('v1:\u0661'), // an Arabic digit
    encoded(`v1:${'1'.repeat(100_000)}`),
    `${encodeCursor(5)}=`, // djE6NQ, which pads to djE6NQ==
    `${encodeCursor(5)}==`,
    ` ${encodeCursor(5)}`,
    `${encodeCursor(5)}\n`,
    'djE6NR', // the last character carries bits that no byte has
    'djE 6NQ',
    'djE6NQ\u0000',
  ];
  for (const token of tokens) assert.equal(decodeCursor(token), undefined, JSON.stringify(token));
});
