import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DraftStore } from '../../../src/importers/assemble/draft-store.ts';
import { findRepeats } from '../../../src/importers/assemble/repeats.ts';
import type { Draft } from '../../../src/importers/source.ts';
import { draftOf, soundDraft } from '../../support/feeds/drafts.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';

function repeatsOf(t: FolderOwner, drafts: readonly (readonly [source: number, draft: Draft])[]) {
  const store = new DraftStore(temporaryFolder(t));
  t.after(() => store.close());
  for (const [source, draft] of drafts) store.add(source, soundDraft(draft));
  return Object.fromEntries(findRepeats(store));
}

test('there are none without drafts', (t) => {
  assert.deepEqual(repeatsOf(t, []), {});
});

test('an equal record of the same source and product is a repeat, wherever it stands', (t) => {
  const drafts = [draftOf('A'), draftOf('B'), draftOf('A'), draftOf('A', { product: { slug: 'right' } })];
  assert.deepEqual(
    repeatsOf(
      t,
      drafts.map((draft) => [0, draft]),
    ),
    { 2: { kept: 0, isEqual: true } },
  );
});

test('the same id in another source is not a repeat', (t) => {
  assert.deepEqual(
    repeatsOf(t, [
      [0, draftOf('A')],
      [1, draftOf('A')],
    ]),
    {},
  );
});

test('of different records the one that was changed last is kept, else the one whose text sorts first', (t) => {
  const older = draftOf('A', { modified_at: '2026-01-01T00:00:00Z' });
  const newer = draftOf('A', { modified_at: '2026-01-01T02:00:00+01:00' });
  const undated = draftOf('A');
  const order = (...drafts: readonly Draft[]) =>
    repeatsOf(
      t,
      drafts.map((draft) => [0, draft]),
    );
  assert.deepEqual(order(older, newer), { 0: { kept: 1, isEqual: false } });
  assert.deepEqual(order(newer, older), { 1: { kept: 0, isEqual: false } });
  assert.deepEqual(order(undated, older, newer), {
    0: { kept: 1, isEqual: false },
    1: { kept: 2, isEqual: false },
  });
  const [x, y] = ['x', 'y'].map((title) => draftOf('A', { title }));
  assert.deepEqual(order(x, y), { 1: { kept: 0, isEqual: false } });
  assert.deepEqual(order(y, x), { 0: { kept: 1, isEqual: false } });
});
