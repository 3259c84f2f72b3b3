// Full runs over snapshots that only a broken or hostile writer makes: if the loader accepts one, every
// endpoint and every advisory must work. The corruption soak test does the same for thousands.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { Dice } from '../../src/generator/dice.ts';
import { SnapshotError } from '../../src/loader/errors.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { Asker } from '../support/answers/ask-all.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';
import { mutate } from '../support/snapshots/mutations.ts';
import { compileRecords, readBytes, sampleRecords, writeBytes } from '../support/snapshots/snapshots.ts';
import { volume } from '../support/volume.ts';

const MUTATIONS = volume(300);

const folder = temporaryFolder({ after });

test('a sound snapshot is asked about by every operation of every dialect', async () => {
  const { generation } = loadSnapshot(await compileRecords(folder, sampleRecords()));
  const asker = new Asker();
  asker.askAll(generation);
  const operations = DIALECTS.flatMap(({ routes }) =>
    routes.flatMap((route) => ('endpoint' in route ? [route.operation.operationId] : [])),
  );
  assert.deepEqual([...asker.answered].sort(), operations.sort());
});

test('a mutated snapshot with a valid checksum is refused, or every reply from it is sound: never a 500', async (t) => {
  const dice = new Dice(printedSeed(t));
  const sound = readBytes(await compileRecords(folder, sampleRecords()));
  const asker = new Asker();
  const seen = { refused: 0, served: 0, replies: 0 };
  const failures: string[] = [];
  for (let run = 0; run < MUTATIONS; run++) {
    const { bytes, what } = mutate(dice, sound);
    try {
      const { generation } = loadSnapshot(writeBytes(folder, 'mutated.vdx', bytes));
      seen.served++;
      seen.replies += asker.askAll(generation);
    } catch (error) {
      if (error instanceof SnapshotError) seen.refused++;
      else failures.push(`mutation ${run}, ${what}: ${(error as Error).message}`);
    }
  }
  t.diagnostic(`${seen.refused} refused, ${seen.served} served with ${seen.replies} replies`);
  assert.deepEqual(failures, []);
  assert.ok(seen.refused > MUTATIONS / 4 && seen.served > MUTATIONS / 20);
});
