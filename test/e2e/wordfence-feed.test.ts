// The feed that we write, read again by our own importer: the same verdicts.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { recordId } from '../../src/dialects/wordfence/record.ts';
import { wordfence } from '../../src/dialects/wordfence/wordfence.ts';
import { Dice } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import { ThreadMemory } from '../../src/index/memory/thread-memory.ts';
import { PRODUCT_TYPE_TABLE, type ProductType } from '../../src/index/product-type.ts';
import { endOfSpans, firstSpan } from '../../src/index/span-list.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { runCommand } from '../support/command.ts';
import { realDataOptions, realFeedPath } from '../support/feeds/real-data.ts';
import { inventedWordfence, wordfenceJson } from '../support/feeds/wordfence-feed.ts';
import { complaintsAboutFeed } from '../support/feeds/wordfence-validator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';
import { isFull } from '../support/volume.ts';

const RECORDS = 400;
const LOOKUPS = 1000;
const realOptions = isFull ? realDataOptions : { skip: 'only at full volume' }; // half a minute

async function compile(...words: readonly string[]): Promise<{ rejects: number }> {
  const ran = await runCommand(addCompileCommand, 'compile', ...words, '--json');
  assert.equal(ran.error, undefined, ran.err);
  return JSON.parse(ran.out) as { rejects: number };
}

/** The records that apply, as names in the feed, sorted. */
function recordsAt(
  generation: Generation,
  memory: ThreadMemory,
  [type, name, version]: Lookup,
): readonly string[] {
  const place = generation.locate(type, name, version, memory.locator);
  assert.ok(place.kind !== 'not-a-version');
  generation.collect(place, memory.matches);
  const { matches } = memory;
  const ids = Array.from({ length: matches.count }, (_, i) => {
    const published = generation
      .siblingsOf(matches.advisoryAt(i))
      .filter((each) => each < generation.publishedCount);
    return recordId(generation, published.at(-1) ?? -1);
  });
  return [...new Set(ids)].sort();
}

type Lookup = readonly [type: ProductType, name: string, version: string];

/** Versions at the bounds of random advisories, and around them. */
function* randomLookups(generation: Generation, count: number, dice: Dice): Generator<Lookup> {
  const { columns } = generation.parts;
  const { start, end } = generation.published('wordpress');
  for (let i = 0; i < count; i++) {
    const ordinal = dice.whole(start, end - 1);
    const product = columns.advisoryProduct[ordinal];
    const { productSlug, productSlugStart } = columns;
    const name = Buffer.from(
      productSlug.slice(productSlugStart[product], productSlugStart[product + 1]),
    ).toString();
    const span = dice.whole(firstSpan(columns, ordinal), endOfSpans(columns, ordinal) - 1);
    const row = dice.pick([columns.spanFrom[span], columns.spanTo[span], columns.spanFixedIn[span]]);
    const bound = row === 0xffff_ffff ? '1.0' : generation.versionText(row);
    const version = `${bound}${dice.pick(['', '', '.0', '.1', '-beta', 'pl1'])}`;
    yield [PRODUCT_TYPE_TABLE[columns.productType[product]].name, name, version];
  }
}

async function holdRoundTrip(t: TestContext, source: readonly string[], lookups: number): Promise<void> {
  const dice = new Dice(printedSeed(t));
  const folder = temporaryFolder(t);
  const [first, second] = [join(folder, 'first.vdx'), join(folder, 'second.vdx')];
  await compile(...source, '--out', first);
  const { generation } = loadSnapshot(first);
  const files = new Map(wordfence.prepare?.(generation) ?? []);
  const feed = join(folder, 'feed.json');
  const plain = files.get('wordfence/production')?.plain;
  const text = Buffer.from(plain ?? []).toString();
  writeFileSync(feed, text);
  assert.deepEqual(complaintsAboutFeed(JSON.parse(text), 'production').slice(0, 5), []);
  const { rejects } = await compile('--wordfence', feed, '--out', second);
  assert.equal(rejects, 0);

  const again = loadSnapshot(second).generation;
  assert.equal(
    again.publishedCount,
    generation.published('wordpress').end - generation.published('wordpress').start,
  );
  const [memory, memoryAgain] = [new ThreadMemory(generation), new ThreadMemory(again)];
  let affected = 0;
  for (const lookup of randomLookups(generation, lookups, dice)) {
    const expected = recordsAt(generation, memory, lookup);
    if (expected.length > 0) affected++;
    assert.deepEqual(recordsAt(again, memoryAgain, lookup), expected, lookup.join(' '));
  }
  t.diagnostic(`${lookups} lookups, ${affected} affected`);
  assert.ok(affected > lookups / 5 && affected < lookups);
}

test('the feed read again gives the same verdicts', async (t) => {
  const invented = join(temporaryFolder(t), 'invented.json');
  writeFileSync(invented, wordfenceJson([...inventedWordfence(RECORDS, printedSeed(t))]));
  await holdRoundTrip(t, ['--wordfence', invented], LOOKUPS);
});

test('the feed of the real data read again gives the same verdicts', realOptions, async (t) => {
  await holdRoundTrip(t, ['--feed', realFeedPath('wordpress')], LOOKUPS);
});
