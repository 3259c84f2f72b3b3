import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareSpanLists } from '../../src/compiler/span-lists.ts';
import { Dice } from '../../src/generator/dice.ts';
import { endOfSpans, firstSpan } from '../../src/index/span-list.ts';
import { printedSeed } from '../support/seed.ts';

type Row = readonly [from: number, to: number, toBound: number, fixedIn: number];

function columnsOf(lists: readonly (readonly Row[])[]): Parameters<typeof shareSpanLists> {
  const rows = lists.flat();
  const starts = new Uint32Array(lists.length + 1);
  lists.forEach((list, i) => {
    starts[i + 1] = starts[i] + list.length;
  });
  return [
    starts,
    {
      spanFrom: Uint32Array.from(rows, ([from]) => from),
      spanTo: Uint32Array.from(rows, ([, to]) => to),
      spanToBound: Uint8Array.from(rows, ([, , toBound]) => toBound),
      spanFixedIn: Uint32Array.from(rows, ([, , , fixedIn]) => fixedIn),
    },
  ];
}

/** As a map from their text would number them. */
function assertShared(lists: readonly (readonly Row[])[]): void {
  const shared = shareSpanLists(...columnsOf(lists));
  const { spanFrom, spanTo, spanToBound, spanFixedIn } = shared;
  const distinct = [...new Set(lists.map((list) => JSON.stringify(list)))];
  assert.deepEqual(
    [...shared.advisorySpans],
    lists.map((list) => distinct.indexOf(JSON.stringify(list))),
  );
  const kept = distinct.map((text) => JSON.parse(text) as Row[]);
  assert.equal(spanFrom.length, kept.flat().length);
  lists.forEach((list, advisory) => {
    const rows: Row[] = [];
    for (let span = firstSpan(shared, advisory); span < endOfSpans(shared, advisory); span++) {
      rows.push([spanFrom[span], spanTo[span], spanToBound[span], spanFixedIn[span]]);
    }
    assert.deepEqual(rows, list);
  });
}

test('equal lists of spans are stored once, in order of first use', (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed);
  for (let round = 0; round < 50; round++) {
    const most = dice.pick([2, 3, 2 ** 32 - 1]);
    const row = (): Row => [dice.whole(0, most), dice.whole(0, most), dice.whole(0, 3), dice.whole(0, most)];
    assertShared(
      Array.from({ length: dice.whole(1, 200) }, () => Array.from({ length: dice.whole(1, 3) }, row)),
    );
  }
});

test('lists that differ in one number, in length or in order are different lists', () => {
  const row: Row = [1, 2, 3, 4];
  const others = [0, 1, 2, 3].map((member) => [row.with(member, 0) as unknown as Row]);
  assertShared([[row], ...others, [row, row], [row, ...others[0]], [...others[0], row], [row]]);
});

test('no advisories have no lists', () => {
  const { advisorySpans, spanListStart } = shareSpanLists(...columnsOf([]));
  assert.equal(advisorySpans.length, 0);
  assert.deepEqual([...spanListStart], [0]);
});
