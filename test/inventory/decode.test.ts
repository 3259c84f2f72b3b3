import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from '../../src/inventory/decode.ts';

test('UTF-8 and UTF-16 are text, with their byte order marks', () => {
  assert.equal(decodeText(Buffer.from('{"ä":1}')), '{"ä":1}');
  assert.equal(decodeText(Buffer.from('\ufeff{"ä":1}')), '{"ä":1}');
  const little = Buffer.from('\ufeff{"ä":1}', 'utf16le');
  assert.equal(decodeText(little), '{"ä":1}');
  assert.equal(decodeText(Buffer.from(little).swap16()), '{"ä":1}');
});

test('bytes that are not text are refused', () => {
  assert.throws(() => decodeText(Buffer.from([0x1f, 0x8b, 0x08, 0x00])), {
    name: 'Refusal',
    message: /not text in UTF-8 or UTF-16/,
  });
});
