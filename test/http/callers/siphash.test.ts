// Against OpenSSL: openssl mac -macopt hexkey:000102..0f -macopt size:16 SIPHASH, for inputs 00 01 02 .. of
// some lengths.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sipHash128 } from '../../../src/http/callers/siphash.ts';

const SECRET = Int32Array.of(0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c);
const VECTORS: Readonly<Record<number, string>> = {
  0: 'a3817f04ba25a8e66df67214c7550293',
  1: 'da87c1d86b99af44347659119b22fc45',
  7: 'a1f1ebbed8dbc153c0b84aa61ff08239',
  8: '3b62a9ba6258f5610f83e264f31497b4',
  9: '264499060ad9baabc47f8b02bb6d71ed',
  15: '5493e99933b0a8117e08ec0f97cfc3d9',
  16: '6ee2a4ca67b054bbfd3315bf85230577',
  31: '2939b0183223fafc1723de4f52c43d35',
  36: '3dc47d1f29c448461e9e76ed904f6711',
  63: '5150d1772f50834a503e069a973fbd7c',
};

function digestOf(text: string, secret = SECRET): string {
  const out = new Int32Array(4);
  assert.ok(sipHash128(text, secret, out));
  return Buffer.from(out.buffer).toString('hex');
}

test('the digests are those of OpenSSL', () => {
  for (const [length, expected] of Object.entries(VECTORS)) {
    const text = String.fromCharCode(...Array.from({ length: Number(length) }, (_, i) => i));
    assert.equal(digestOf(text), expected, `${length} bytes`);
  }
});

test('another secret gives another digest', () => {
  for (let word = 0; word < 4; word++) {
    const other = SECRET.slice();
    other[word] ^= 1;
    assert.notEqual(digestOf('text', other), digestOf('text'));
  }
});

test('a text with characters beyond one byte has no digest', () => {
  const out = new Int32Array(4);
  for (const text of ['\u0100', 'abcdefg\u0100', 'abcdefgh\u0100', '\ud800', '\u{1f600}']) {
    assert.equal(sipHash128(text, SECRET, out), false, JSON.stringify(text));
  }
  assert.ok(sipHash128('\u00ff', SECRET, out));
});
