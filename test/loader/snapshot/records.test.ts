import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenRecords } from '../../../src/index/items/detail-record.ts';
import { type LoadedSnapshot, loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { readSnapshot } from '../../../src/loader/snapshot/reader.ts';
import { SnapshotRecords } from '../../../src/loader/snapshot/records.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { isHeldInMemory } from '../../support/held.ts';
import { compileRecords, sampleRecords } from '../../support/snapshots/snapshots.ts';

test('decoded terms, details and bodies do not hold the columns that they were decoded from', async (t) => {
  const path = await compileRecords(temporaryFolder(t), sampleRecords());
  const decoded: unknown[] = [];
  const decodeAll = (): WeakRef<object> => {
    const { columns, packed } = readSnapshot(path);
    const records = new SnapshotRecords(columns, packed);
    const open = new OpenRecords();
    for (const ordinal of sampleRecords().keys())
      decoded.push(records.detailAt(ordinal, open), records.bodyAt(ordinal, open));
    for (let term = 0; term + 1 < columns.termStart.length; term++) decoded.push(records.termAt(term));
    return new WeakRef(columns.termBytes.buffer);
  };
  const columns = decodeAll();
  assert.equal(await isHeldInMemory(columns), false);
  assert.ok(decoded.length > 2 * sampleRecords().length);
});

test('a generation leaves memory once nobody holds it', async (t) => {
  const path = await compileRecords(temporaryFolder(t), sampleRecords());
  const held: LoadedSnapshot[] = [];
  const loadOne = (): WeakRef<object> => {
    const loaded = loadSnapshot(path);
    held.push(loaded);
    return new WeakRef(loaded.generation.parts.columns.termBytes.buffer);
  };
  const columns = loadOne();
  assert.equal(await isHeldInMemory(columns), true);
  held.pop();
  assert.equal(await isHeldInMemory(columns), false);
});
