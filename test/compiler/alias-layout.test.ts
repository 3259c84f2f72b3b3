import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AliasLayout } from '../../src/compiler/alias-layout.ts';
import { advisoriesOfAlias } from '../../src/index/lookup/alias-table.ts';
import { words } from '../support/words.ts';

/** The columns as pairs of text and ordinals. */
function laidOut(pairs: readonly (readonly [ordinal: number, alias: string])[]): [string, number[]][] {
  const layout = new AliasLayout();
  const numbers = pairs.map(([ordinal, alias]) => layout.add(ordinal, alias));
  const { columns, rowOf } = layout.lay();
  const { aliasStart, aliasText, aliasAdvisory, sharedAliasStart, sharedAliasAdvisory } = columns;
  const textAt = (row: number): string =>
    Buffer.from(aliasText.subarray(aliasStart[row], aliasStart[row + 1])).toString();
  assert.equal(aliasAdvisory.length, aliasStart.length - 1);
  assert.equal(sharedAliasAdvisory.length, sharedAliasStart.at(-1));
  assert.deepEqual(
    numbers.map((number) => textAt(rowOf[number])),
    pairs.map(([, alias]) => alias),
  );
  return Array.from({ length: aliasStart.length - 1 }, (_, i) => [
    textAt(i),
    [...advisoriesOfAlias(columns, i)],
  ]);
}

test('aliases are sorted by their bytes, also beyond the prefix, and where one is a prefix of another', () => {
  const texts = words('2026-10 2026-1 2026-2 2026 GHSA-AAAA-B GHSA-AAAA-A 2026-1\0 B A\0 A');
  const sorted = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(
    laidOut(texts.map((text, i) => [i, text])),
    sorted.map((text) => [text, [texts.indexOf(text)]]),
  );
});

test('characters outside the basic plane come after the private use area, as in UTF-8', () => {
  assert.deepEqual(
    laidOut([
      [0, '\u{1f600}'],
      [1, '\ue000'],
    ]).map(([text]) => text),
    ['\ue000', '\u{1f600}'],
  );
});

test('an alias of several advisories is stored once, with their ordinals ascending', () => {
  const pairs = [
    [0, 'same-long-alias'],
    [1, 'other'],
    [3, 'same-long-alias'],
    [7, 'same-long-alias'],
  ] as const;
  assert.deepEqual(laidOut(pairs), [
    ['other', [1]],
    ['same-long-alias', [0, 3, 7]],
  ]);
});

test('an alias of one advisory has no row among those of several', () => {
  const { columns } = new AliasLayout().lay();
  assert.deepEqual([...columns.sharedAliasStart], [0]);
  const layout = new AliasLayout();
  for (const [ordinal, alias] of [
    [0, 'b'],
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ] as const) {
    layout.add(ordinal, alias);
  }
  const laid = layout.lay().columns;
  assert.deepEqual([...laid.aliasAdvisory], [1, 2 ** 31, 3]);
  assert.deepEqual([...laid.sharedAliasStart], [0, 2]);
  assert.deepEqual([...laid.sharedAliasAdvisory], [0, 2]);
});

test('no aliases are no texts and one start', () => {
  assert.deepEqual(laidOut([]), []);
});
