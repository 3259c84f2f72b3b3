// Damaged files: each is refused with a code, and none makes the loader crash, hang or serve it.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Dice } from '../../src/generator/dice.ts';
import { SNAPSHOT_ERROR_CODES, SnapshotError, type SnapshotErrorCode } from '../../src/loader/errors.ts';
import { HASH_BYTES, HASH_OFFSET, parseHeader } from '../../src/loader/format.ts';
import { loadChecked } from '../../src/loader/load.ts';
import { collectGarbage } from '../../src/serve/thread.ts';
import { Asker } from '../support/answers/ask-all.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Builds } from '../support/load/builds.ts';
import { printedSeed } from '../support/seed.ts';
import { mutate } from '../support/snapshots/mutations.ts';
import {
  columnBounds,
  compileRecords,
  readBytes,
  sampleRecords,
  writeBytes,
} from '../support/snapshots/snapshots.ts';
import { damage, FAULTS, type Stretch } from './support/damage.ts';
import { mebibytes } from './support/process-figures.ts';
import { scaled } from './support/scale.ts';

const COUNT = scaled(2_000, 200);
const MUTATIONS = scaled(4_000, 400);
const MOST_GROWN_BYTES = 256 << 20;
const SEED = 20_261;
const HANG_MS = 5_000; // a sound load of this file takes some 10 ms

interface Tally {
  readonly codes: Map<SnapshotErrorCode, number>;
  served: number;
  slowestMs: number;
}

test(`${COUNT} faults over every section are refused with a code`, async (t) => {
  const folder = temporaryFolder(t);
  const sound = readFileSync((await new Builds(join(folder, 'builds'), 300, 35).compile(1)).path);
  const other = readFileSync((await new Builds(join(folder, 'others'), 300, 36).compile(2)).path);

  await t.test('with the original checksum', (t) => {
    const tally = run(sound, other, join(folder, 'damaged.vdx'), (bytes) => bytes);
    t.diagnostic(describe(tally));
    assert.equal(tally.served, 0, 'no damaged file is served');
  });

  // With a recomputed checksum, a changed letter is not an error. What must hold is that the loader either
  // accepts the file or refuses it with a code, so that no file of a hostile or broken compiler can take the
  // process down.
  await t.test('with a recomputed checksum', (t) => {
    const tally = run(sound, other, join(folder, 'resealed.vdx'), reseal);
    t.diagnostic(describe(tally));
  });
});

test(`${MUTATIONS} mutations with a valid checksum are refused or servable, in bounded memory`, async (t) => {
  const folder = temporaryFolder(t);
  const dice = new Dice(printedSeed(t));
  const samples = [
    readBytes(await compileRecords(folder, sampleRecords())),
    // Large enough for a dictionary of the details.
    readBytes(await compileRecords(folder, inventedRecords(300, 37).map(feedJson), { name: 'invented.vdx' })),
  ];
  const asker = new Asker();
  const seen = { refused: 0, served: 0, replies: 0 };
  let warmBytes = 0;
  for (let turn = 0; turn < MUTATIONS; turn++) {
    const { bytes, what } = mutate(dice, samples[turn % samples.length] as Uint8Array);
    try {
      const { generation } = loadChecked(writeBytes(folder, 'mutated.vdx', bytes));
      seen.served++;
      seen.replies += asker.askAll(generation);
    } catch (error) {
      assert.ok(error instanceof SnapshotError, `mutation ${turn}, ${what}: ${(error as Error).stack}`);
      seen.refused++;
    }
    // A refused file leaves megabytes of shared memory to the collector.
    if (turn % 50 === 0) collectGarbage();
    if (turn === MUTATIONS / 10) warmBytes = process.memoryUsage().rss;
  }
  const grownBytes = process.memoryUsage().rss - warmBytes;
  t.diagnostic(
    `${seen.refused} refused, ${seen.served} served with ${seen.replies} replies, ${mebibytes(grownBytes)} more`,
  );
  assert.ok(grownBytes < MOST_GROWN_BYTES, `memory grew by ${mebibytes(grownBytes)}`);
});

function run(sound: Buffer, other: Buffer, path: string, finish: (bytes: Buffer) => Buffer): Tally {
  const dice = new Dice(SEED);
  const tally: Tally = { codes: new Map(), served: 0, slowestMs: 0 };
  const places = stretches(sound);
  for (let turn = 0; turn < COUNT; turn++) {
    const place = places[turn % places.length] as Stretch;
    const fault = FAULTS[Math.floor(turn / places.length) % FAULTS.length] as (typeof FAULTS)[number];
    writeFileSync(path, finish(damage(dice, fault, { sound, other, place })));
    const startMs = performance.now();
    try {
      loadChecked(path);
      tally.served++;
    } catch (error) {
      const what = `fault ${turn} (${fault} in ${place.name}, seed ${SEED})`;
      assert.ok(error instanceof SnapshotError, `${what}: ${(error as Error).stack}`);
      assert.ok(SNAPSHOT_ERROR_CODES.includes(error.code), what);
      tally.codes.set(error.code, (tally.codes.get(error.code) ?? 0) + 1);
    }
    const tookMs = performance.now() - startMs;
    tally.slowestMs = Math.max(tally.slowestMs, tookMs);
    assert.ok(tookMs < HANG_MS, `fault ${turn} (${fault} in ${place.name}) took ${tookMs.toFixed(0)} ms`);
  }
  return tally;
}

/** The header, each section, and the one column without which other bytes cannot be read. */
function stretches(sound: Buffer): readonly Stretch[] {
  const { sections, headerBytes } = parseHeader(sound);
  return [
    { name: 'header', offset: 0, length: headerBytes },
    ...Object.entries(sections).map(([name, { offset, length }]) => ({ name, offset, length })),
    { name: 'the dictionary of the details', ...columnBounds(sound, 'detailDictionary') },
  ];
}

function reseal(bytes: Buffer): Buffer {
  if (bytes.length < HASH_OFFSET + HASH_BYTES) return bytes;
  const hash = createHash('sha256')
    .update(bytes.subarray(0, HASH_OFFSET))
    .update(bytes.subarray(HASH_OFFSET + HASH_BYTES))
    .digest();
  hash.copy(bytes, HASH_OFFSET);
  return bytes;
}

function describe({ codes, served, slowestMs }: Tally): string {
  const counts = [...codes].map(([code, count]) => `${code} ${count}`).join(', ');
  return `${counts}; served ${served}; slowest ${slowestMs.toFixed(0)} ms`;
}
