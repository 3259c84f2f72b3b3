// Against OpenSSL: openssl mac -macopt hexkey:000102..0f -macopt size:16 -macopt c-rounds:1 -macopt
// d-rounds:3 SIPHASH, for inputs 00 01 02 .. of some lengths.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sipHash128 } from '../../../src/http/callers/siphash.ts';

const SECRET = Int32Array.of(0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c);
const VECTORS: Readonly<Record<number, string>> = {
  0: 'e77ebcb22788a5befd62db6add303001',
  1: 'fc6f370460d3eda85e0573cc2b2ff063',
  7: '1084b923f2aae0c3a62f2ec80848ab77',
  8: 'aa12fee1d5e3dab4724f16ab35f9c799',
  9: '81ddb8042cf33994f4720e0094137c42',
  15: 'c17e5505b2bd526c2921cdec1e7e0109',
  16: 'd0a8d95715518eebb513b0f83d9e1793',
  31: '42ea961c5b3c858b17c3e550dfa79010',
  36: '37a110f002718edad24b3f9ee453f140',
  63: '4c5800e34efe426f079f6b0aa75260ad',
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
