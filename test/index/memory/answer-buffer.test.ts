// Assembled bytes, compared with Buffer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AnswerBuffer } from '../../../src/index/memory/answer-buffer.ts';

test('appended bytes are read back, text as UTF-8', () => {
  const out = new AnswerBuffer();
  const piece = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.uint8Array({ maxLength: 80 }));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      out.restart();
      for (const each of pieces) {
        if (typeof each === 'string') out.text(each);
        else out.copy(each, 0, each.length);
      }
      const expected = Buffer.concat(pieces.map((each) => Buffer.from(each as string)));
      assert.equal(out.length, expected.length);
      assert.ok(expected.equals(out.view()));
    }),
  );
});

test('a text that begins in ASCII and continues beyond it is written in full', () => {
  for (const text of ['1.0é', `${'a'.repeat(31)}é`, `${'a'.repeat(32)}é`, 'a\u{1f600}', 'é'.repeat(32)]) {
    const out = new AnswerBuffer();
    out.text('[');
    out.text(text);
    out.text(']');
    assert.equal(Buffer.from(out.view()).toString(), `[${text}]`);
  }
});

test('a range is copied from start to end, however long', () => {
  const source = Uint8Array.from({ length: 200 }, (_, i) => i);
  for (const length of [0, 1, 31, 32, 33, 150]) {
    const out = new AnswerBuffer();
    out.copy(source, 20, 20 + length);
    assert.deepEqual([...out.view()], [...source.subarray(20, 20 + length)]);
  }
});

test('an answer larger than the buffer keeps what was written before', () => {
  const out = new AnswerBuffer();
  const block = new Uint8Array(100_000).fill(7);
  out.text('head');
  for (let i = 0; i < 120; i++) out.copy(block, 0, block.length);
  out.text('tail');
  const view = out.view();
  assert.equal(view.length, 12_000_008);
  assert.equal(Buffer.from(view.subarray(0, 4)).toString(), 'head');
  assert.equal(Buffer.from(view.subarray(-4)).toString(), 'tail');
  assert.ok(view.subarray(4, -4).every((byte) => byte === 7));
});

test('a buffer that one answer made huge is released with the next', () => {
  const out = new AnswerBuffer();
  out.text('x'.repeat(35_000_000));
  out.restart();
  assert.ok(out.view().buffer.byteLength < 1_000_000);
  out.text('next');
  assert.equal(Buffer.from(out.view()).toString(), 'next');
});

test('a buffer that has grown is released on request', () => {
  const out = new AnswerBuffer();
  const { capacity } = out;
  out.text('x'.repeat(2_000_000));
  out.restart();
  assert.ok(out.capacity > capacity, 'it is kept for the next large answer');
  out.shrink();
  assert.equal(out.capacity, capacity);
  out.text('next');
  assert.equal(Buffer.from(out.view()).toString(), 'next');
});

test('what is dropped leaves no trace', () => {
  const out = new AnswerBuffer();
  out.text('kept');
  const { length } = out;
  out.text('dropped');
  out.truncate(length);
  out.text('.');
  assert.equal(Buffer.from(out.view()).toString(), 'kept.');
});

test('a string becomes what JSON.stringify makes of it', () => {
  const texts = [
    '',
    'akismet',
    '@scope/lib',
    '"',
    '\\',
    'a"b',
    '\n',
    '\u0000',
    '\u007f',
    'é',
    '日本',
    '\u{1f600}',
    '\ud800',
  ];
  for (const text of [...texts, 'x'.repeat(1_000_000), `${'x'.repeat(300_000)}"`, 'é'.repeat(300_000)]) {
    const out = new AnswerBuffer();
    out.text('[');
    out.jsonText(text);
    assert.equal(new TextDecoder().decode(out.view()), `[${JSON.stringify(text)}`);
  }
});
