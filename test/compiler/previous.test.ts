// A compilation with a previous snapshot against one without: every column and every decoded row is the same.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { unpack } from 'msgpackr/unpack';
import { compileSources } from '../../src/cli/sources/compile-sources.ts';
import { openPrevious } from '../../src/cli/sources/previous-snapshot.ts';
import { Dice } from '../../src/generator/dice.ts';
import { feed as feeds } from '../../src/importers/source-kinds.ts';
import { COLUMN_NAMES, type ColumnName, numberOf } from '../../src/index/columns.ts';
import { type BlockRows, OpenRecords } from '../../src/index/items/detail-record.ts';
import type { ListedText } from '../../src/index/items/list-item.ts';
import { modifiedAt } from '../../src/index/items/rare-facts.ts';
import { OpenBlock } from '../../src/index/memory/open-block.ts';
import { readSnapshot } from '../../src/loader/snapshot/reader.ts';
import { SnapshotRecords } from '../../src/loader/snapshot/records.ts';
import { verifySnapshot } from '../../src/loader/snapshot/verify-deep.ts';
import type { FeedJson } from '../support/feeds/advisories.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { preferenceInOrder } from '../support/feeds/preference.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';
import { inflatedBlocks, withDetailBlocks } from '../support/snapshots/mutations.ts';
import { BUILT_AT_MS, copyColumns, forged, packed, readBytes } from '../support/snapshots/snapshots.ts';
import { isFull } from '../support/volume.ts';

/** What may differ: how blocks are deflated. */
const PACKING: readonly ColumnName[] = [
  'textBlockStart',
  'textDictionary',
  'detailBlockStart',
  'detailDictionary',
  'bodyBlockStart',
  'bodyDictionary',
];

type Compile = (
  records: readonly FeedJson[],
  name: string,
  previous?: string,
  builtAtMs?: number,
) => Promise<string>;

function compilerIn(t: TestContext): Compile {
  const folder = temporaryFolder(t);
  return async (records, name, previous, builtAtMs = BUILT_AT_MS) => {
    const feed = join(folder, `${name}.ndjson`);
    const out = join(folder, `${name}.vdx`);
    writeFileSync(feed, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const opened = previous === undefined ? undefined : openPrevious(previous, (line) => assert.fail(line));
    const plan = {
      sources: [{ kind: feeds, location: feed }],
      preference: preferenceInOrder(1),
      out,
      guards: {},
      skipInvalid: false,
      strict: false,
      builtAtMs,
      previous: opened,
    };
    await compileSources(plan, (line) => assert.fail(line));
    verifySnapshot(out);
    return out;
  };
}

interface Contents {
  readonly columns: Readonly<Record<string, readonly number[]>>;
  readonly rows: readonly unknown[];
}

function contentsOf(path: string): Contents {
  const { columns, packed } = readSnapshot(path);
  const records = new SnapshotRecords(columns, packed);
  const open = new OpenRecords();
  const openTexts = new OpenBlock<BlockRows<ListedText>>();
  return {
    columns: Object.fromEntries(
      COLUMN_NAMES.filter((name) => !PACKING.includes(name)).map((name) => [name, [...columns[name]]]),
    ),
    rows: Array.from(columns.advisoryId, (_, ordinal) => [
      records.textAt(ordinal, openTexts),
      records.detailAt(ordinal, open),
      records.bodyAt(ordinal, open),
    ]),
  };
}

/** How many advisories of a snapshot can be kept: those with an origin. */
function originCount(path: string): number {
  const halves = new Uint32Array(readSnapshot(path, ['origins']).origins);
  return halves.subarray(halves.length / 2).filter((low) => low !== 0).length;
}

const dictionaryOf = (path: string): Buffer => Buffer.from(readSnapshot(path).columns.detailDictionary);

/**
 * The feed a day later: a share of its records is changed, removed, withdrawn or renumbered, and some are
 * new.
 */
function edited(records: readonly FeedJson[], share: number, dice: Dice, firstNewId: number): FeedJson[] {
  const fresh = inventedRecords(Math.ceil(records.length * share), dice.whole(1, 2 ** 30)).map(feedJson);
  const later = records.flatMap((record): FeedJson[] => {
    if (!dice.chance(share)) return [record];
    switch (dice.whole(0, 4)) {
      case 0:
        return [{ ...record, title: `${record.title} (again)` }];
      case 1:
        return [];
      case 2:
        return [{ ...record, withdrawn_at: '2026-02-03T00:00:00Z' }];
      case 3:
        return [{ ...record, details: dice.chance(0.5) ? '' : '# A new body' }];
      default:
        return [{ ...record, id: firstNewId + 100_000 + Number(record.id) }];
    }
  });
  const numbered = fresh.map((record, i) => ({ ...record, id: firstNewId + i }));
  return dice.chance(0.5) ? [...later, ...numbered] : [...numbered, ...later];
}

for (const [title, share] of [
  ['a few', 0.01],
  ['some', 0.1],
  ['most', 0.6],
] as const) {
  test(`after ${title} random edits the result is that of a compilation from scratch, day after day`, async (t) => {
    const dice = new Dice(printedSeed(t));
    const compile = compilerIn(t);
    let records = inventedRecords(isFull ? 1_500 : 500, dice.whole(1, 2 ** 30)).map(feedJson);
    let previous = await compile(records, 'first');
    for (const day of [1, 2, 3]) {
      records = edited(records, share, dice, day * 1_000_000_000);
      const full = await compile(records, `full-${day}`);
      const kept = await compile(records, `kept-${day}`, previous);
      assert.deepEqual(contentsOf(kept), contentsOf(full), `day ${day}`);
      // Fewer than one in four changed: then the dictionaries are kept too.
      const isDictionaryKept = dictionaryOf(kept).equals(dictionaryOf(previous));
      assert.equal(isDictionaryKept, share <= 0.1);
      const again = await compile(records, `again-${day}`, previous);
      assert.ok(readFileSync(again).equals(readFileSync(kept)), 'the same feed and previous snapshot');
      previous = kept;
    }
  });
}

test('nothing changed: the same bytes', async (t) => {
  const compile = compilerIn(t);
  const records = inventedRecords(1_000, 3).map(feedJson);
  const first = await compile(records, 'first');
  assert.ok(originCount(first) > 900);
  assert.ok(readFileSync(await compile(records, 'second', first)).equals(readFileSync(first)));
});

test('an advisory whose fixes were replaced is compiled from its line again', async (t) => {
  const compile = compilerIn(t);
  const [record] = inventedRecords(1, 1).map(feedJson);
  const span = { from_version: '1.0', to_version: '2.0', to_bound: 'inclusive', fixed_in: '1.5' };
  const records = [
    { ...record, id: 1, affected: [span] },
    { ...record, id: 2 },
  ];
  const first = await compile(records, 'first');
  assert.equal(originCount(first), 1);
  const second = await compile(records, 'second', first);
  assert.deepEqual(contentsOf(second), contentsOf(first));
  assert.deepEqual(contentsOf(second).columns.fixCounts, [0, 1]);
});

test('numbers in the 64-bit forms of another writer are read as numbers', async (t) => {
  const compile = compilerIn(t);
  const records = inventedRecords(3, 1).map(feedJson);
  const first = await compile(records, 'first');
  const { advisoryLabel, termStart, termBytes } = copyColumns(readBytes(first));
  const { productNumber, advisoryProduct } = copyColumns(readBytes(first));
  const [, ...names] = unpack(
    termBytes.subarray(termStart[advisoryLabel[0]], termStart[advisoryLabel[0] + 1]),
  );
  const wideId = Buffer.alloc(9, 0xcf);
  wideId.writeBigUInt64BE(BigInt(productNumber[advisoryProduct[0]]), 1);
  const label = Buffer.concat([Buffer.of(0x93), wideId, ...names.map(packed)]);
  const other = forged(readBytes(first), {
    columns: () => ({
      termStart: Uint32Array.of(...termStart, termBytes.length + label.length),
      termBytes: Buffer.concat([termBytes, label]),
      advisoryLabel: advisoryLabel.with(0, termStart.length - 1),
    }),
  });
  writeFileSync(`${first}.other.vdx`, other);
  const kept = await compile(records, 'kept', `${first}.other.vdx`);
  assert.deepEqual(contentsOf(kept), contentsOf(first));
});

test('what a label leaves out follows the first advisory of the product, and whoever wrote the file', async (t) => {
  const compile = compilerIn(t);
  const [template] = inventedRecords(1, 1).map(feedJson);
  const gallery = (id: number, product: object): FeedJson => ({
    ...template,
    id,
    product: { id: 7, type: 'plugin', slug: 'gallery', name: 'gallery', ...product },
  });
  const records = [gallery(1, {}), gallery(2, { id: 8 }), gallery(3, { id: 9, name: 'Gallery' })];
  const later = records.slice(0, 2); // the id of the product was that of the one that is gone
  const first = await compile(records, 'first');
  assert.deepEqual(contentsOf(await compile(later, 'kept', first)), contentsOf(await compile(later, 'anew')));

  const { advisoryLabel, termStart, termBytes } = copyColumns(readBytes(first));
  const label = packed([7, 'gallery', null]); // of ordinal 2, spelled out
  const other = forged(readBytes(first), {
    columns: () => ({
      termStart: Uint32Array.of(...termStart, termBytes.length + label.length),
      termBytes: Buffer.concat([termBytes, label]),
      advisoryLabel: advisoryLabel.with(2, termStart.length - 1),
    }),
  });
  writeFileSync(`${first}.other.vdx`, other);
  const kept = await compile(records, 'other', `${first}.other.vdx`);
  assert.deepEqual(contentsOf(kept), contentsOf(first));
});

test('a block that a loader could not open is not copied, whatever the hash of its file says', async (t) => {
  const compile = compilerIn(t);
  const records = inventedRecords(40, 1).map(feedJson);
  const first = await compile(records, 'first');
  const [block, ...others] = inflatedBlocks(readBytes(first), 'details');
  for (const bad of [Buffer.from('not packed'), Buffer.concat([block, block])]) {
    const path = `${first}.forged.vdx`;
    writeFileSync(path, withDetailBlocks(readBytes(first), [bad, ...others]));
    await assert.rejects(compile(records, 'kept', path), {
      message: /block 0 of the previous snapshot cannot be opened: .*; compile without it/,
    });
  }
});

test('a previous snapshot of other advisories changes nothing', async (t) => {
  const compile = compilerIn(t);
  const other = await compile(inventedRecords(300, 5).map(feedJson), 'other');
  const records = inventedRecords(400, 6).map(feedJson);
  const full = await compile(records, 'full');
  assert.ok(readFileSync(await compile(records, 'kept', other)).equals(readFileSync(full)));
});

test('an advisory whose source does not date its changes is dated by the first compilation that met it as it is', async (t) => {
  const compile = compilerIn(t);
  const [{ modified_at: _, ...undated }] = inventedRecords(1, 1).map(feedJson);
  const at = (id: number, own: FeedJson): FeedJson => ({ ...undated, ...own, id });
  const [day1, day2, day3] = [0, 1, 2].map((days) => BUILT_AT_MS + days * 86_400_000);
  const stated = '2026-01-01T00:00:00Z';
  const first = await compile(
    [at(1, {}), at(2, {}), at(3, { modified_at: stated })],
    'first',
    undefined,
    day1,
  );
  const next = [at(1, {}), at(2, { title: 'Another' }), at(3, { modified_at: stated }), at(4, {})];
  const second = await compile(next, 'second', first, day2);
  const third = await compile(next, 'third', second, day3);
  const ages = (path: string) => {
    const { columns } = readSnapshot(path);
    return Array.from(columns.advisoryId, (id, i) => [
      id,
      numberOf(columns, columns.advisoryModifiedAt[i]) * 1000,
      modifiedAt(columns, i) !== undefined,
    ]);
  };
  const expected = [
    [4, day2, false],
    [3, Date.parse(stated), true],
    [2, day2, false],
    [1, day1, false],
  ];
  assert.deepEqual(ages(second), expected);
  assert.deepEqual(ages(third), expected);
  assert.deepEqual(
    ages(await compile(next, 'alone', undefined, day3)).map(([, ms]) => ms),
    [day3, Date.parse(stated), day3, day3],
  );
});
