import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PostedChanges } from '../../../src/serve/messages.ts';
import { KeptGenerations } from '../../../src/serve/snapshots/kept-generations.ts';

interface Numbered {
  readonly parts: { readonly id: string };
  readonly load: number;
}

/** A list that keeps so many, after some generations were published in turn. */
function keptAfter(olderCount: number, ids: string): KeptGenerations<Numbered> {
  const kept = new KeptGenerations<Numbered>(olderCount);
  for (const [load, id] of Array.from(ids).entries()) kept.publish({ parts: { id }, load });
  return kept;
}

function idsOf(kept: KeptGenerations<Numbered>): string {
  return kept.list.map(({ generation }) => generation.parts.id).join('');
}

function changes(from: string, to: string): PostedChanges {
  return { from, to, ids: [Float64Array.of(1)], tookMs: 0 };
}

function unknown(kept: KeptGenerations<Numbered>): string {
  return kept
    .unknown()
    .map(({ previous, next }) => `${previous.parts.id}>${next.parts.id}`)
    .join(' ');
}

test('the live generation is first, then as many as are kept, the latest first', () => {
  assert.equal(idsOf(keptAfter(0, 'abc')), 'c');
  assert.equal(idsOf(keptAfter(2, 'a')), 'a');
  assert.equal(idsOf(keptAfter(2, 'abcd')), 'dcb');
  assert.equal(keptAfter(2, 'abcd').live?.parts.id, 'd');
  assert.equal(keptAfter(2, '').live, undefined);
});

test('after a roll-back the newer generation is kept, and the one that came back is held once, as loaded last', () => {
  const kept = keptAfter(3, 'abca');
  assert.equal(idsOf(kept), 'acb');
  assert.equal(kept.live?.load, 3);
  assert.equal(idsOf(keptAfter(1, 'aba')), 'ab');
});

test('older generations are added at the end, as for a worker that begins later', () => {
  const kept = keptAfter(1, 'c');
  kept.addOlder({ parts: { id: 'b' }, load: 0 });
  assert.equal(idsOf(kept), 'cb');
  kept.publish({ parts: { id: 'd' }, load: 9 });
  assert.equal(idsOf(kept), 'dc');
});

test('a generation that is retired is kept no longer, but the live one stays live', () => {
  const kept = keptAfter(2, 'abc');
  kept.learn(changes('b', 'c'));
  kept.drop('b');
  assert.equal(idsOf(kept), 'ca');
  assert.equal(unknown(kept), 'a>c');
  for (const id of ['c', 'x']) kept.drop(id);
  assert.equal(idsOf(kept), 'ca');
});

test('what changed is known between neighbours, in the order in which they were live', () => {
  const kept = keptAfter(2, 'abc');
  assert.equal(unknown(kept), 'b>c a>b');
  kept.learn(changes('b', 'c'));
  assert.equal(unknown(kept), 'a>b');
  kept.learn(changes('b', 'a')); // the other way round
  kept.learn(changes('a', 'c')); // not neighbours
  assert.equal(unknown(kept), 'a>b');
  assert.deepEqual(
    kept.list.map(({ changedIds }) => changedIds?.length),
    [1, undefined, undefined],
  );
  kept.publish({ parts: { id: 'd' }, load: 9 });
  assert.equal(unknown(kept), 'c>d');
});

test('what is known of generations that are no longer neighbours is forgotten', () => {
  const kept = keptAfter(1, 'ab');
  kept.learn(changes('a', 'b'));
  assert.equal(kept.changes.length, 1);
  kept.publish({ parts: { id: 'c' }, load: 9 });
  assert.deepEqual([kept.changes.length, unknown(kept)], [0, 'b>c']);
});

test('the list is the same array until something changes', () => {
  const kept = keptAfter(1, 'ab');
  const { list } = kept;
  assert.equal(kept.list, list);
  kept.learn(changes('a', 'b'));
  assert.notEqual(kept.list, list);
});
