// Whole runs over snapshots that only a broken or hostile writer makes: what passes the loader must be answerable, every
// endpoint and every advisory of it. The soak test of corruption does the same for thousands.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Dice } from '../../src/generator/dice.ts';
import { SnapshotError } from '../../src/loader/errors.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { Asker } from '../support/ask-all.ts';
import { temporaryFolder } from '../support/folder.ts';
import { mutate } from '../support/mutations.ts';
import { printedSeed } from '../support/seed.ts';
import { compileRecords, readBytes, sampleRecords, writeBytes } from '../support/snapshots.ts';

const MUTATIONS = 300;

const folder = temporaryFolder({ after });

test('a mutated snapshot behind a good checksum is refused, or every reply about it is sound: never a 500', async (t) => {
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
