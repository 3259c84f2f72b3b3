import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPackr } from '../../src/compiler/blocks.ts';
import { sampleRows } from '../../src/compiler/dictionary.ts';

const ROWS_PER_BLOCK = 8;

/** The ordinals whose records are in the dictionary, and its size. */
function sampled(count: number): { readonly ordinals: readonly number[]; readonly bytes: number } {
  const dictionary = sampleRows(count, ROWS_PER_BLOCK, (row) => plainPackr.pack([`<${row}>`.padEnd(100)]));
  const text = Buffer.from(dictionary).toString('latin1');
  return { ordinals: [...text.matchAll(/<(\d+)>/g)].map(([, digits]) => Number(digits)), bytes: text.length };
}

test('a section of fewer than 256 rows gets no dictionary', () => {
  for (const count of [0, 1, 8, 255]) assert.equal(sampled(count).bytes, 0, `${count} rows`);
  assert.ok(sampled(256).bytes > 0);
});

test('a dictionary grows with the section in pieces of a kilobyte, up to 32', () => {
  const full = (count: number): number =>
    sampleRows(count, ROWS_PER_BLOCK, (row) => plainPackr.pack([`${row} `.repeat(200)])).length;
  assert.deepEqual(
    [511, 512, 1024, 8191, 8192, 100_000].map(full),
    [1, 2, 4, 31, 32, 32].map((n) => n * 1024),
  );
});

test('its pieces are blocks of neighbours, from the middle of equal ranges', () => {
  assert.deepEqual(sampled(256).ordinals, [128, 129, 130, 131, 132, 133, 134, 135]);
  const firsts = sampled(1024).ordinals.filter((_, i) => i % 8 === 0);
  assert.deepEqual(firsts, [128, 384, 640, 896]);
});
