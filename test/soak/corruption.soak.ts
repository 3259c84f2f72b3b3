// Damaged files: each is refused with a code, and none gets the loader to crash, hang or serve.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Dice } from '../../src/generator/dice.ts';
import { SNAPSHOT_ERROR_CODES, SnapshotError, type SnapshotErrorCode } from '../../src/loader/errors.ts';
import { HASH_BYTES, HASH_OFFSET, parseHeader } from '../../src/loader/format.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { columnBounds } from '../support/snapshots.ts';
import { Builds } from '../support/soak/builds.ts';
import { damage, FAULTS, type Stretch } from '../support/soak/damage.ts';
import { scaled } from '../support/soak/scale.ts';

const COUNT = scaled(2_000, 200);
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

  await t.test('as they come', (t) => {
    const tally = run(sound, other, join(folder, 'damaged.vdx'), (bytes) => bytes);
    t.diagnostic(describe(tally));
    assert.equal(tally.served, 0, 'no damaged file is served');
  });

  // Behind a checksum that was made to fit, a changed letter is no fault. What must hold is that the loader says
  // either yes or a code, so that no file of a hostile or broken compiler can take the process down.
  await t.test('with the checksum mended', (t) => {
    const tally = run(sound, other, join(folder, 'resealed.vdx'), reseal);
    t.diagnostic(describe(tally));
  });
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
      loadSnapshot(path);
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

/** The header, each section, and the one column that other bytes cannot be read without. */
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
