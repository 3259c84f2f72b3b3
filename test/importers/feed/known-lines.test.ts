import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLine, indexLines, lineOrigin } from '../../../src/importers/feed/known-lines.ts';

const LINES = Array.from({ length: 5_000 }, (_, i) => Buffer.from(`{"id":${i}}`));

function indexOf(lines: readonly (Buffer | undefined)[]): ReturnType<typeof indexLines> {
  const origins = lines.map((line) => (line === undefined ? [0, 0] : lineOrigin(line)));
  return indexLines({
    advisoryOriginHigh: Uint32Array.from(origins, ([high]) => high),
    advisoryOriginLow: Uint32Array.from(origins, ([, low]) => low),
  });
}

test('a line is found by its bytes, another is not', () => {
  const known = indexOf(LINES);
  LINES.forEach((line, ordinal) => {
    assert.equal(findLine(known, lineOrigin(line)), ordinal);
    assert.equal(findLine(known, lineOrigin(Buffer.concat([line, Buffer.from(' ')]))), undefined);
  });
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
