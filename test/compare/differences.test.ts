import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compareGenerations, type Difference, findChangedIds } from '../../src/compare/differences.ts';
import { differingFields, FIELD_NAMES, type FieldName, NOTHING_SAME } from '../../src/compare/fields.ts';
import { AdvisoryReader } from '../../src/compare/reader.ts';
import { pairIds } from '../../src/compare/walk.ts';
import { Dice } from '../../src/generator/dice.ts';
import { Generation } from '../../src/index/generation.ts';
import type { OpenRecords } from '../../src/index/items/detail-record.ts';
import { PLATFORMS, type Platform } from '../../src/index/product-type.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';
import { compileRecords, sampleRecords } from '../support/snapshots/snapshots.ts';
import { isFull } from '../support/volume.ts';
import { FEED_EDITS } from './feed-edits.ts';

const folder = temporaryFolder({ after });
let compiled = 0;

async function load(records: readonly FeedJson[]): Promise<Generation> {
  return loadSnapshot(await compileRecords(folder, records, { name: `${compiled++}.vdx` })).generation;
}

/** `id kind field,field`, in the order of the comparison. */
async function compare(previous: readonly FeedJson[], next: readonly FeedJson[]): Promise<string[]> {
  return [...compareGenerations(await load(previous), await load(next))].map(say);
}

function say(difference: Difference): string {
  const fields = 'fields' in difference ? ` ${difference.fields.join(',')}` : '';
  return `${difference.id} ${difference.kind}${fields}`;
}

function edited(records: readonly FeedJson[], id: number, changes: FeedJson): FeedJson[] {
  return records.map((record) => (record.id === id ? { ...record, ...changes } : record));
}

const records = sampleRecords();

test('the same advisories do not differ, whatever their order', async () => {
  assert.deepEqual(await compare(records, records.toReversed()), []);
});

test('each advisory of two disjoint feeds is added or gone', async () => {
  assert.deepEqual(await compare([feedRecord(1), feedRecord(3)], [feedRecord(2)]), [
    '3 gone',
    '2 added',
    '1 gone',
  ]);
});

test('withdrawing and restoring are not mere changes; another time of withdrawal is one', async () => {
  const withdrawn_at = '2026-02-03T00:00:00Z';
  const published = feedRecord(1);
  const withdrawn = feedRecord(1, { withdrawn_at });
  assert.deepEqual(await compare([published], [withdrawn]), ['1 withdrawn withdrawn_at']);
  assert.deepEqual(await compare([withdrawn], [published]), ['1 restored withdrawn_at']);
  const later = feedRecord(1, { withdrawn_at: '2026-02-04T00:00:00Z', title: 'Other' });
  assert.deepEqual(await compare([withdrawn], [later]), ['1 changed title,withdrawn_at']);
  assert.deepEqual(await compare([published], [later]), ['1 withdrawn title,withdrawn_at']);
});

test('an advisory that is new and withdrawn is added, and one that was withdrawn can be gone', async () => {
  const other = feedRecord(2);
  const withdrawn = feedRecord(1, { withdrawn_at: '2026-02-03T00:00:00Z' });
  assert.deepEqual(await compare([other], [other, withdrawn]), ['1 added']);
  assert.deepEqual(await compare([other, withdrawn], [other]), ['1 gone']);
});

test('ordinals belong to the generation that they are named after', async () => {
  const [previous, next] = [await load(records), await load(edited(records, 103, { title: 'Other' }))];
  const [difference] = compareGenerations(previous, next);
  assert.ok(difference.kind === 'changed');
  assert.equal(previous.idAt(difference.previous), 103);
  assert.equal(next.idAt(difference.next), 103);
});

test('a default that is spelled out and a time in another offset are not differences', async () => {
  const stated = {
    psid: '4bb2788671af', // the default of 101
    disclosed_at: '2026-01-02T05:04:05+02:00',
    url_slug: '101',
    aliases: [],
    severity: '',
    patch_priority: 1,
    is_exploited: false,
    credit: null,
    references: [{ url: 'https://advisories.example/101/fix', title: 'advisories.example' }],
  };
  const records = sampleRecords();
  assert.deepEqual(await compare(records, edited(records, 101, stated)), []);
});

const SPAN = { from_version: null, to_version: '1.5.0' };

function spanTo(to: string, fix: string | null = '2.0'): FeedJson {
  return { affected: [{ ...SPAN, to_version: to, to_bound: 'inclusive', fixed_in: fix }] };
}

const BASE = feedRecord(1, { affected: [{ ...SPAN, to_bound: 'inclusive', fixed_in: '2.0' }] });
const CASES: readonly (readonly [title: string, changes: FeedJson, fields: string])[] = [
  [
    'a bound that reads the same but is recorded differently',
    { affected: [{ ...SPAN, to_bound: null, fixed_in: '2.0' }] },
    'affected',
  ],
  ['a version that is equal but spelled differently', spanTo('1.5.0.0'), 'affected'],
  ['a bound and a fix', spanTo('1.6', '1.7'), 'affected'],
  ['a fix', spanTo('1.5.0', '2.1'), 'affected[].fixed_in'],
  ['no fix any more', spanTo('1.5.0', null), 'affected[].fixed_in'],
  [
    'an exact version in place of a span',
    { affected: [], affected_versions: ['1.5.0'] },
    'affected,affected_versions',
  ],
  [
    'the slug of the product',
    { product: { id: 7, type: 'plugin', slug: 'other', name: 'Gallery' } },
    'product',
  ],
  [
    'the type of the product',
    { product: { id: 7, type: 'theme', slug: 'gallery', name: 'Gallery' } },
    'product',
  ],
  [
    'the number of the product',
    { product: { id: 8, type: 'plugin', slug: 'gallery', name: 'Gallery' } },
    'product',
  ],
  ['a score', { cvss: { score: 7.4, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' } }, 'cvss'],
  ['the order of CVE ids', { cves: ['CVE-2026-2', 'CVE-2026-1'] }, 'cves'],
  ['no reference any more', { references: [] }, 'references'],
];
for (const [title, changes, fields] of CASES) {
  test(`a difference in one detail is reported: ${title}`, async () => {
    assert.deepEqual(await compare([BASE], [{ ...BASE, ...changes }]), [`1 changed ${fields}`]);
  });
}

test('a span above an exact version is compared too', async () => {
  const versions = { affected_versions: ['1.7'] };
  const upTo = (to: string): FeedJson =>
    feedRecord(1, {
      ...versions,
      affected: [
        { ...SPAN, to_bound: 'inclusive', fixed_in: null },
        { from_version: '2.0', to_version: to, to_bound: 'inclusive', fixed_in: null },
      ],
    });
  assert.deepEqual(await compare([upTo('2.4')], [upTo('2.6')]), ['1 changed affected']);
  assert.deepEqual(await compare([upTo('2.4')], [{ ...upTo('2.4'), affected_versions: ['1.8'] }]), [
    '1 changed affected_versions',
  ]);
});

test('a feed edited at random: the comparison tells exactly the edits', async (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed);
  const records = inventedRecords(isFull ? 1_500 : 600, seed).map(feedJson);
  const expected: string[] = [];
  const covered = new Set<string>();
  const next: FeedJson[] = [];
  let n = 1;
  for (const record of records) {
    const id = record.id as number;
    const isWithdrawn = record.withdrawn_at !== undefined;
    const share = dice.fraction();
    if (share < 0.1) {
      expected.push(`${id} gone`);
      continue;
    }
    if (share > 0.9) {
      next.push({ ...record, id: id + 1_000_000, psid: undefined as never });
      expected.push(`${id + 1_000_000} added`);
    }
    const fields = new Set<FieldName>();
    let changed = record;
    const editCount = dice.chance(0.5) ? dice.whole(1, 4) : 0;
    for (let i = 0; i < editCount; i++) {
      const name = dice.pick(FIELD_NAMES);
      const edit = name === 'withdrawn_at' ? () => toggleWithdrawn(record, n) : FEED_EDITS[name];
      const changes = fields.has(name) ? undefined : edit(changed, n++);
      if (changes === undefined) continue;
      changed = { ...changed, ...changes };
      fields.add(name);
    }
    if (fields.has('affected')) fields.delete('affected[].fixed_in');
    next.push(changed);
    if (fields.size === 0) continue;
    const wasToggled = isWithdrawn !== (changed.withdrawn_at !== undefined);
    const kind = wasToggled ? (isWithdrawn ? 'restored' : 'withdrawn') : 'changed';
    covered.add(kind);
    for (const name of fields) covered.add(name);
    expected.push(`${id} ${kind} ${FIELD_NAMES.filter((name) => fields.has(name)).join(',')}`);
  }
  const generations = [await load(records), await load(next.toReversed())] as const;
  const got = [...compareGenerations(...generations)].map(say);
  const byId = (a: string, b: string): number => Number.parseInt(b, 10) - Number.parseInt(a, 10);
  assert.deepEqual(got, expected.toSorted(byId));
  assert.deepEqual(
    FIELD_NAMES.filter((name) => !covered.has(name)),
    [],
    'every field was edited',
  );
});

const MOVED = 9_999_999; // above those that are invented

test('packed rows that are the same spare their decoding, and change no verdict', async (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed);
  const records = inventedRecords(300, seed).map(feedJson);
  const next = records.map((record, i) => {
    const edit = dice.pick(Object.values(FEED_EDITS));
    return dice.chance(0.3) ? { ...record, ...edit(record, i) } : record;
  });
  const moved = { product: npm, affected: [span(null, '1.0.0')] }; // the same title, with another prefix
  const pair = [
    await load([...records, feedRecord(MOVED)]),
    await load([...next, feedRecord(MOVED, moved)]),
  ] as const;
  const [before, after] = pair.map((generation) => new AdvisoryReader(generation));
  let same = 0;
  for (const { id, previous: from, next: to } of pairIds(pair[0].parts.columns, pair[1].parts.columns)) {
    if (from === undefined || to === undefined) continue;
    before.enter(from);
    after.enter(to);
    const fields = differingFields(before, after);
    assert.deepEqual(fields, differingFields(before, after, NOTHING_SAME), `advisory ${id}, seed ${seed}`);
    if (fields.length === 0) same++;
    if (id === MOVED) assert.ok(fields.includes('title'), fields.join());
  }
  assert.ok(same > 100, `${same} are the same`);
});

test('an advisory whose packed rows are the same is not decoded', async () => {
  const generation = await load(records);
  let decoded = 0;
  const { records: packed } = generation;
  const counting = {
    detailAt: (ordinal: number, open: OpenRecords) => {
      decoded++;
      return packed.detailAt(ordinal, open);
    },
    bodyAt: packed.bodyAt.bind(packed),
    packedAt: packed.packedAt.bind(packed),
    termAt: packed.termAt.bind(packed),
    itemAt: packed.itemAt.bind(packed),
  };
  const next = await load(edited(records, 103, { title: 'Other' }));
  const differences = compareGenerations(new Generation(generation.parts, counting), next);
  assert.deepEqual([...differences].map(say), ['103 changed title']);
  assert.equal(decoded, 0);
});

/** Withdraws a published advisory; restores a withdrawn one. */
function toggleWithdrawn({ withdrawn_at }: FeedJson, n: number): FeedJson {
  return {
    withdrawn_at: (withdrawn_at === undefined ? new Date(n * 1000).toISOString() : undefined) as never,
  };
}

/** The ids by platform, of those that have any. */
async function changed(
  previous: readonly FeedJson[],
  next: readonly FeedJson[],
): Promise<Partial<Record<Platform, number[]>>> {
  const found = findChangedIds(await load(previous), await load(next));
  for (const ids of found) assert.ok(ids.buffer instanceof SharedArrayBuffer);
  assert.equal(found.length, PLATFORMS.length);
  const byPlatform = found.map((ids, run) => [PLATFORMS[run], Array.from(ids)] as const);
  return Object.fromEntries(byPlatform.filter(([, ids]) => ids.length > 0));
}

const WITHDRAWN = { withdrawn_at: '2026-02-03T00:00:00Z' };
const npm = npmProduct('left');

test('ids that differ are listed for their platform, descending', async () => {
  const previous = [
    feedRecord(1),
    feedRecord(2),
    feedRecord(3),
    feedRecord(4, { product: npm, affected: [span(null, '1.0.0')] }),
  ];
  const next = [
    feedRecord(1, { title: 'Other' }),
    feedRecord(2),
    feedRecord(3, WITHDRAWN),
    feedRecord(5, { product: npm, affected: [span(null, '1.0.0')] }),
    feedRecord(6),
  ];
  assert.deepEqual(await changed(previous, next), { wordpress: [6, 3, 1], npm: [5, 4] });
  assert.deepEqual(await changed(previous, previous), {});
});

test('an id that moves to another platform is listed for both', async () => {
  assert.deepEqual(
    await changed([feedRecord(1)], [feedRecord(1, { product: npm, affected: [span(null, '1.0.0')] })]),
    { wordpress: [1], npm: [1] },
  );
});

test('what neither publishes is not listed, whatever differs', async () => {
  const previous = [feedRecord(1), feedRecord(2, WITHDRAWN), feedRecord(3, WITHDRAWN)];
  const next = [feedRecord(1), feedRecord(2, { ...WITHDRAWN, title: 'Other' }), feedRecord(4, WITHDRAWN)];
  assert.deepEqual(await changed(previous, next), {});
});

test('a restored advisory is listed', async () => {
  const previous = [feedRecord(1), feedRecord(2, WITHDRAWN)];
  assert.deepEqual(await changed(previous, [feedRecord(1), feedRecord(2)]), { wordpress: [2] });
});
