// A prepared file: shared, compressed, and the same bytes every time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { prepareJson } from '../../src/dialects/prepared-json.ts';

const TEXT = `{"a":"${'x'.repeat(20_000)}ü"}`;

test('a file is plain and in gzip in shared memory, whatever its expected size', () => {
  for (const expected of [0, 1_000_000]) {
    const { plain, gzip, etag } = prepareJson('"tag"', expected, (out) => out.text(TEXT));
    assert.ok(plain.buffer instanceof SharedArrayBuffer && gzip?.buffer instanceof SharedArrayBuffer);
    assert.equal(Buffer.from(plain).toString(), TEXT);
    assert.equal(gunzipSync(Uint8Array.from(gzip)).toString(), TEXT);
    assert.equal(etag, '"tag"');
  }
});

test('the same text gives the same bytes: no time is in them', () => {
  const [first, second] = [1, 2].map(() => prepareJson('"tag"', 0, (out) => out.text(TEXT)).gzip);
  assert.deepEqual(first, second);
  assert.deepEqual([...(first ?? []).slice(4, 8)], [0, 0, 0, 0]); // where gzip has the time
});
