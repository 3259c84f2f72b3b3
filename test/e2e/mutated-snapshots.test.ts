// Full runs over snapshots that only a broken or hostile writer makes: if the loader and the check behind the
// swap accept one, every endpoint and every advisory must work; before the check, nothing but a 500 may tell
// of a fault.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { Dice } from '../../src/generator/dice.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { SnapshotError } from '../../src/loader/errors.ts';
import { loadSnapshot, openGeneration } from '../../src/loader/snapshot/load.ts';
import { SnapshotCheck } from '../../src/loader/snapshot/snapshot-check.ts';
import { Asker } from '../support/answers/ask-all.ts';
import { feedRecord, span } from '../support/feeds/advisories.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';
import { mutate } from '../support/snapshots/mutations.ts';
import { compileRecords, readBytes, sampleRecords, writeBytes } from '../support/snapshots/snapshots.ts';
import { volume } from '../support/volume.ts';

const MUTATIONS = volume(1_000);

const folder = temporaryFolder({ after });

/** A little of everything, a NuGet package, and a Go module with what only its records say. */
const RECORDS = [
  ...sampleRecords(),
  feedRecord(401, {
    product: { id: 41, type: 'golang', slug: 'example.com/M', name: 'example.com/M' },
    source_id: 'GO-2026-0401',
    affected: [span(null, '1.2.3', 'exclusive', '1.2.3'), span('2.0.0', '2.1.0')],
    ecosystem_specific: { imports: [{ path: 'example.com/M', symbols: ['A.B'] }] },
  }),
  feedRecord(501, {
    product: { id: 51, type: 'nuget', slug: 'Acme.Core', name: 'Acme.Core' },
    affected: [span('1.0.0-beta.1', '1.2.3.4', 'exclusive', '1.2.3.4')],
  }),
];

test('a sound snapshot is asked about by every operation of every dialect', async () => {
  const { generation } = loadSnapshot(await compileRecords(folder, RECORDS));
  const asker = new Asker();
  asker.askAll(generation);
  const operations = Object.values(openApiDocument(DIALECTS).paths)
    .flatMap(({ get, post }) => [get, post].flatMap((each) => each ?? []))
    .flatMap(({ operationId, security }) => (security?.length === 0 ? [] : [operationId]));
  assert.deepEqual([...asker.answered].sort(), operations.sort());
});

test('a mutated snapshot with a valid checksum is refused, or found out by its check, or every reply is sound', async (t) => {
  const dice = new Dice(printedSeed(t));
  const samples = [
    readBytes(await compileRecords(folder, RECORDS)),
    // Large enough for a dictionary of the details.
    readBytes(await compileRecords(folder, inventedRecords(100, 37).map(feedJson), { name: 'invented.vdx' })),
  ];
  const asker = new Asker();
  const seen = { refused: 0, foundOut: 0, served: 0, replies: 0 };
  const failures: string[] = [];
  for (let run = 0; run < MUTATIONS; run++) {
    const { bytes, what } = mutate(dice, samples[run % samples.length]);
    try {
      const loaded = outcomeOf(() => loadSnapshot(writeBytes(folder, 'mutated.vdx', bytes)));
      if (loaded === undefined) {
        seen.refused++;
        continue;
      }
      // Requests come before the check is over.
      const isFaulty = outcomeOf(() => new SnapshotCheck(loaded).run()) === undefined;
      seen[isFaulty ? 'foundOut' : 'served']++;
      const asked = (): number => asker.askAll(openGeneration(loaded.generation.parts, loaded.packed));
      seen.replies += isFaulty ? (outcomeOf(asked) ?? 0) : asked();
    } catch (error) {
      failures.push(`mutation ${run}, ${what}: ${(error as Error).message}`);
    }
  }
  t.diagnostic(
    `${seen.refused} refused, ${seen.foundOut} found out, ${seen.served} served; ${seen.replies} replies`,
  );
  assert.deepEqual(failures, []);
  assert.ok(seen.refused + seen.foundOut > MUTATIONS / 4 && seen.served > MUTATIONS / 20);
});

/** Undefined when the snapshot has a fault. */
function outcomeOf<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}
