import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { findLine, indexLines, lineOrigin } from '../../../src/importers/feed/known-lines.ts';

const LINES = Array.from({ length: 5_000 }, (_, i) => Buffer.from(`{"id":${i}}`));

function indexOf(lines: readonly (Buffer | undefined)[]): ReturnType<typeof indexLines> {
  const origins = lines.map((line) => (line === undefined ? [0, 0] : lineOrigin(line)));
  return indexLines({
    high: Uint32Array.from(origins, ([high]) => high),
    low: Uint32Array.from(origins, ([, low]) => low),
  });
}

test('a line is found by its bytes, another is not', () => {
  const known = indexOf(LINES);
  LINES.forEach((line, ordinal) => {
    assert.equal(findLine(known, lineOrigin(line)), ordinal);
    assert.equal(findLine(known, lineOrigin(Buffer.concat([line, Buffer.from(' ')]))), undefined);
  });
});

test('an origin is the first eight bytes of SHA-256, as snapshots of earlier builds have it', () => {
  for (const line of LINES) {
    const digest = createHash('sha256').update(line).digest();
    assert.deepEqual(lineOrigin(line), [(digest.readUInt32LE(0) ^ 1) >>> 0, digest.readUInt32LE(4)]);
  }
});

test('an advisory without an origin is never found', () => {
  const known = indexOf([LINES[0], undefined, LINES[1], undefined]);
  assert.equal(findLine(known, [0, 0]), undefined);
  assert.equal(findLine(known, lineOrigin(LINES[1])), 2);
});

test('both halves of an origin count', () => {
  const [high, low] = lineOrigin(LINES[0]);
  const known = indexOf([LINES[0]]);
  assert.equal(findLine(known, [high ^ 1, low]), undefined);
  assert.equal(findLine(known, [high, low ^ 1]), undefined);
  assert.equal(findLine(indexOf([]), [high, low]), undefined);
});
