import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AliasLayout } from '../../src/compiler/alias-layout.ts';
import { words } from '../support/words.ts';

/** The columns as pairs of text and ordinals. */
function laidOut(pairs: readonly (readonly [ordinal: number, alias: string])[]): [string, number[]][] {
  const layout = new AliasLayout();
  for (const [ordinal, alias] of pairs) layout.add(ordinal, alias);
  const { aliasStart, aliasText, aliasAdvisoryStart, aliasAdvisory } = layout.columns();
  assert.equal(aliasAdvisoryStart.length, aliasStart.length);
  return Array.from({ length: aliasStart.length - 1 }, (_, i) => [
    Buffer.from(aliasText.subarray(aliasStart[i], aliasStart[i + 1])).toString(),
    [...aliasAdvisory.subarray(aliasAdvisoryStart[i], aliasAdvisoryStart[i + 1])],
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

test('no aliases are no texts and one start', () => {
  assert.deepEqual(laidOut([]), []);
});
