import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type PackedBatch, packBatches } from '../../../src/importers/feed/line-threads.ts';
import type { Line } from '../../../src/importers/feed/lines.ts';
import { packLines } from '../../../src/importers/feed/pack-lines.ts';
import { inventedRecords } from '../../support/feeds/invented-feed.ts';
import { builtProgram } from '../../support/process/built-program.ts';

const BATCHES = 30;
const LINES = 40;

/** Batches of an invented feed, with a bad line in each. */
function batchesOf(lines: readonly string[]): Line[][] {
  return Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: LINES }, (_, i) => {
      const at = batch * LINES + i;
      return { number: at + 1, bytes: Buffer.from(i === 7 ? '{' : lines[at]) };
    }),
  );
}

async function* streamed(batches: readonly Line[][]): AsyncGenerator<Line[]> {
  yield* batches;
}

async function collected(batches: AsyncIterable<PackedBatch>): Promise<PackedBatch[]> {
  const all: PackedBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

/** What one thread makes of them, with nothing in between. */
function expectedOf(batches: readonly Line[][]): PackedBatch[] {
  return batches.map((lines) => {
    let end = 0;
    const ends = Uint32Array.from(lines, ({ bytes }) => {
      end += bytes.length;
      return end;
    });
    return { lines, packed: packLines({ bytes: Buffer.concat(lines.map(({ bytes }) => bytes)), ends }) };
  });
}

const batches = batchesOf(inventedRecords(BATCHES * LINES, 1).map((record) => JSON.stringify(record)));

test('batches come packed and in order, without helpers', async () => {
  assert.deepEqual(await collected(packBatches(streamed(batches))), expectedOf(batches));
});

test('helpers that cannot start or end at once are not missed', async () => {
  // From sources, Node 20 cannot run them.
  assert.deepEqual(await collected(packBatches(streamed(batches), undefined, 0)), expectedOf(batches));
});

test('helper threads pack the same, in the same order, and end when the reader leaves early', async () => {
  const entry = builtProgram();
  const built: { readonly packBatches: typeof packBatches } = await import(
    new URL('./importers/feed/line-threads.js', pathToFileURL(entry)).href
  );
  assert.deepEqual(await collected(built.packBatches(streamed(batches), undefined, 0)), expectedOf(batches));
  for await (const { lines } of built.packBatches(streamed(batches), undefined, 0)) {
    assert.equal(lines[0].number, 1);
    break;
  }
});
