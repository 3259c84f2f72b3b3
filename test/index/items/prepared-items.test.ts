// Items prepared on first use: the same bytes as all made at once, whoever asks first and in whatever order.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { ItemView } from '../../../src/index/items/item-view.ts';
import { AnswerBuffer } from '../../../src/index/memory/answer-buffer.ts';
import { type LoadedSnapshot, loadSnapshot, openGeneration } from '../../../src/loader/snapshot/load.ts';
import { feedJson, inventedRecords } from '../../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { withTexts } from '../../support/snapshots/mutations.ts';
import { compileRecords, readBytes, writeBytes } from '../../support/snapshots/snapshots.ts';

const COUNT = 100; // four blocks of texts

const folder = temporaryFolder({ after });
let path: string;
/** The items, made in order by a generation that keeps none. */
let expected: readonly string[];

before(async () => {
  path = await compileRecords(folder, inventedRecords(COUNT, 5).map(feedJson));
  const { records } = loadSnapshot(path).generation;
  expected = Array.from({ length: COUNT }, (_, ordinal) => textOf(records.itemAt(ordinal).bytes));
});

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

function keepingGeneration({ generation, packed }: LoadedSnapshot): Generation {
  return openGeneration(generation.parts, packed);
}

function readyCount({ parts }: Generation): number {
  return parts.items.isReady.reduce((sum, isReady) => sum + isReady, 0);
}

function pageOf(generation: Generation, first: number, last: number): string {
  const out = new AnswerBuffer();
  generation.items.writeItems(out, first, last);
  return textOf(out.view());
}

test('items have the same bytes in whatever order they are asked for', (t) => {
  const dice = new Dice(printedSeed(t));
  const generation = keepingGeneration(loadSnapshot(path));
  assert.equal(readyCount(generation), 0);
  for (let left = 60; left > 0; left--) {
    const first = dice.whole(0, COUNT - 1);
    const last = dice.whole(first + 1, COUNT);
    assert.equal(`${pageOf(generation, first, last)},`, expected.slice(first, last).join(''));
  }
});

test('only what is asked for is prepared, and once', () => {
  const generation = keepingGeneration(loadSnapshot(path));
  pageOf(generation, 40, 43);
  assert.equal(readyCount(generation), 3);
  generation.records.itemAt = (): never => {
    throw new Error('made again');
  };
  pageOf(generation, 40, 43);
  new ItemView(generation).enter(41);
  assert.throws(() => pageOf(generation, 42, 44), { message: 'made again' });
});

test('another thread sees what was prepared', () => {
  const loaded = loadSnapshot(path);
  const [one, other] = [keepingGeneration(loaded), keepingGeneration(loaded)];
  pageOf(one, 0, COUNT);
  other.records.itemAt = (): never => {
    throw new Error('made again');
  };
  assert.equal(`${pageOf(other, 0, COUNT)},`, expected.join(''));
});

test('a generation that keeps no items reads the same fields, and several views do not disturb each other', () => {
  const loaded = loadSnapshot(path);
  const keeping = keepingGeneration(loadSnapshot(path));
  const [one, other] = [new ItemView(loaded.generation), new ItemView(loaded.generation)];
  const view = new ItemView(keeping);
  for (let ordinal = 0; ordinal + 1 < COUNT; ordinal++) {
    one.enter(ordinal);
    other.enter(ordinal + 1);
    view.enter(ordinal);
    assert.equal(one.text('title'), view.text('title'));
    assert.deepEqual(one.references(), view.references());
    assert.equal(one.text('affected'), view.text('affected'));
    assert.equal(one.text('fixed'), view.text('fixed'));
  }
  assert.equal(readyCount(loaded.generation), 0);
});

test('an item with a fault is not prepared, and those before it in the run are', () => {
  const bad = withTexts(readBytes(path), (texts) => {
    texts[texts.length - 1] ^= 0xff; // in the last row
  });
  const generation = keepingGeneration(loadSnapshot(writeBytes(folder, 'bad.vdx', bad)));
  for (let again = 0; again < 2; again++) {
    assert.throws(() => generation.items.require(90, COUNT), { name: 'SnapshotError' });
    assert.equal(generation.parts.items.isReady[COUNT - 1], 0);
  }
  assert.equal(`${pageOf(generation, 0, 90)},`, expected.slice(0, 90).join(''));
});
