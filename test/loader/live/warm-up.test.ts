// Before a swap, the items that clients asked for are prepared in the next generation.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmUp } from '../../../src/loader/live/warm-up.ts';
import { loadSnapshot, openGeneration } from '../../../src/loader/snapshot/load.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileRecords } from '../../support/snapshots/snapshots.ts';

test('what was prepared is prepared again under its id; what is gone is left out', async (t) => {
  const folder = temporaryFolder(t);
  const compile = async (ids: readonly number[]) =>
    loadSnapshot(
      await compileRecords(
        folder,
        ids.map((id) => feedRecord(id)),
      ),
    );
  const [was, is] = [await compile([1, 2, 3, 4]), await compile([2, 3, 4, 5, 6])];
  const served = openGeneration(was.generation.parts, was.packed);
  for (const id of [1, 3, 4]) {
    const ordinal = served.findId(id) ?? -1;
    served.items.require(ordinal, ordinal + 1);
  }
  warmUp(is.generation, was.generation);
  const { isReady } = is.generation.parts.items;
  const warm = Array.from(isReady.keys()).filter((ordinal) => isReady[ordinal] === 1);
  assert.deepEqual(warm.map((ordinal) => is.generation.idAt(ordinal)).sort(), [3, 4]);
});
