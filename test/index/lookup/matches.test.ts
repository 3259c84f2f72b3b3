// Sorting and merging hits, below and above the size at which the sort algorithm changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Matches } from '../../../src/index/lookup/matches.ts';

const MAX_ORDINAL = 2 ** 26 - 1; // a snapshot's index has at most 2 GiB, so there are fewer advisories

type Hit = readonly [advisory: number, span: number];

function settled(matches: Matches, hits: readonly Hit[]): Hit[] {
  matches.clear();
  for (const [advisory, span] of hits) matches.add(advisory, span);
  matches.settle();
  return Array.from({ length: matches.count }, (_, i) => [matches.advisoryAt(i), matches.spanAt(i)]);
}

/** Each advisory once, ascending, with the span that came last. */
const merged = (hits: readonly Hit[]): Hit[] => [...new Map(hits)].sort(([a], [b]) => a - b);

test('an advisory is kept once, with the span added last, in ascending order of its ordinal', () => {
  const matches = new Matches();
  const hit = fc.tuple(fc.oneof(fc.nat(30), fc.nat(MAX_ORDINAL)), fc.nat(0xffff_fffe));
  fc.assert(
    fc.property(fc.array(hit, { maxLength: 300, size: 'max' }), (hits) => {
      assert.deepEqual(settled(matches, hits), merged(hits));
    }),
  );
});

test('any number of hits is sorted, also around the sizes where the buffers grow and the sort changes', () => {
  for (const count of [0, 1, 2, 23, 24, 25, 63, 64, 65, 128, 129, 1_000]) {
    const hits = Array.from({ length: count }, (_, i): Hit => [(i * 7_919) % (count + 3), i]);
    assert.deepEqual(settled(new Matches(), hits), merged(hits), `${count} hits`);
  }
});

test('nothing from one lookup is left in the next', () => {
  const matches = new Matches();
  settled(matches, [
    [5, 1],
    [3, 2],
  ]);
  matches.clear();
  assert.equal(matches.count, 0);
  assert.deepEqual(settled(matches, [[4, 9]]), [[4, 9]]);
});

test('more than 2^21 hits in one lookup still give the right advisories', () => {
  const matches = new Matches();
  const hits = 2 ** 21 + 5;
  matches.clear();
  for (let i = 0; i < hits; i++) matches.add(i < 3 ? MAX_ORDINAL : i % 2, i);
  matches.settle();
  const found = Array.from({ length: matches.count }, (_, i) => [matches.advisoryAt(i), matches.spanAt(i)]);
  assert.deepEqual(found, [
    [0, hits - 1],
    [1, hits - 2],
    [MAX_ORDINAL, 2],
  ]);
});
