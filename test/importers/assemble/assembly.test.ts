import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type AssembledEntry, Assembly } from '../../../src/importers/assemble/assembly.ts';
import { SourceCounts } from '../../../src/importers/assemble/source-counts.ts';
import { FIRST_NUMBER, IdRegistry } from '../../../src/importers/ids/id-registry.ts';
import { packDraft } from '../../../src/importers/packed-draft.ts';
import { DEFAULTED, type Defaulted } from '../../../src/importers/record/defaults.ts';
import type { FeedRecord } from '../../../src/importers/record/feed-schema.ts';
import { checkRecord, defaultPsid } from '../../../src/importers/record/record.ts';
import type { Draft, DraftRecord } from '../../../src/importers/source.ts';
import { type DraftChanges, draftOf } from '../../support/feeds/drafts.ts';
import { preferenceInOrder } from '../../support/feeds/preference.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';
import { pluck } from '../../support/pluck.ts';

const DAY = 86_400;

interface Given {
  readonly kind: string;
  readonly drafts: readonly Draft[];
}

/** One run after another over the same registry, as a command would do it every day. */
function runs(t: FolderOwner) {
  const folder = temporaryFolder(t);
  const ids = join(folder, 'ids.tsv');
  let day = 0;
  return {
    registryText: () => readFileSync(ids, 'utf8'),
    run(...sources: readonly Given[]) {
      const counts = sources.map(({ kind }, i) => new SourceCounts(`${kind}-${i}`, kind, kind));
      const assembly = new Assembly(folder, counts, preferenceInOrder(sources.length));
      try {
        const refused = sources.flatMap(({ drafts }, source) =>
          drafts.flatMap((draft) => {
            counts[source].read++;
            return assembly.add(source, packDraft(draft)) ?? [];
          }),
        );
        const registry = new IdRegistry(ids, DAY * ++day);
        const entries = [...assembly.records(registry)];
        for (const each of counts) each.requireBalance();
        registry.changes()();
        const records = entries.flatMap((entry) => (entry.kind === 'record' ? [parsed(entry.line)] : []));
        for (const record of records) assertValid(record);
        return { entries, records, refused, counts, totals: assembly.totals, ids: idsOf(records) };
      } finally {
        assembly.close();
      }
    },
  };
}

const parsed = (line: Uint8Array): FeedRecord => JSON.parse(Buffer.from(line).toString()) as FeedRecord;

function assertValid(record: FeedRecord): void {
  const problems: { readonly field: string }[] = [];
  checkRecord(record, problems as Parameters<typeof checkRecord>[1]);
  assert.deepEqual(problems, []);
}

function idsOf(records: readonly FeedRecord[]): Record<string, number> {
  return Object.fromEntries(records.map(({ source_id = '', id }) => [source_id, id]));
}

function problemsIn(entries: readonly AssembledEntry[]): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'reject' ? entry.reject.problems.map(({ field, message }) => `${field}: ${message}`) : [],
  );
}

const osv = (...drafts: readonly Draft[]): Given => ({ kind: 'osv', drafts });
const wordfence = (...drafts: readonly Draft[]): Given => ({ kind: 'wordfence', drafts });
const feed = (...drafts: readonly Draft[]): Given => ({ kind: 'feed', drafts });

test('a new record gets new numbers, with the time of the run, and keeps them from then on', (t) => {
  const { run } = runs(t);
  const [first] = run(osv(draftOf('A'))).records;
  assert.equal(first.id, FIRST_NUMBER);
  assert.equal(first.created_at, '1970-01-02T00:00:00Z');
  assert.equal(first.product.id, FIRST_NUMBER);
  const { records } = run(osv(draftOf('B'), draftOf('A', { title: 'Changed' })));
  assert.deepEqual(
    records.map(({ id, created_at, title, product }) => [id, created_at, title, product.id]),
    [
      [FIRST_NUMBER + 1, '1970-01-03T00:00:00Z', 'About B', FIRST_NUMBER],
      [FIRST_NUMBER, '1970-01-02T00:00:00Z', 'Changed', FIRST_NUMBER],
    ],
  );
});

test('the numbers of a source are kept when another source is added, before or after it', (t) => {
  const { run } = runs(t);
  const { ids } = run(osv(draftOf('A', { cves: ['1'] })));
  assert.deepEqual(run(wordfence(draftOf('W', { cves: ['1'] })), osv(draftOf('A', { cves: ['1'] }))).ids, {
    W: ids.A,
  });
  assert.deepEqual(run(wordfence(draftOf('W'))).ids, { W: ids.A });
});

test('numbers that a record brings along are taken, unless a member has one', (t) => {
  const { run } = runs(t);
  const own = draftOf('F', { id: 7, created_at: '2020-01-01T00:00:00Z', cves: ['1'], product: { id: 3 } });
  const [record] = run(feed(own)).records;
  assert.deepEqual([record.id, record.created_at, record.product.id], [7, own.record.created_at, 3]);
  assert.deepEqual(run(osv(draftOf('A', { cves: ['1'] })), feed(own)).ids, { A: 7 });
  const other = runs(t);
  other.run(osv(draftOf('A', { cves: ['1'] })));
  assert.deepEqual(other.run(osv(draftOf('A', { cves: ['1'] })), feed(own)).ids, { A: FIRST_NUMBER });
});

test('a record with the number of another advisory is a reject, whether registered or brought along twice', (t) => {
  const { run } = runs(t);
  run(feed(draftOf('F', { id: 7 })));
  const taken = run(osv(draftOf('A')), feed(draftOf('G', { id: 7, product: { slug: 'right' } })));
  assert.deepEqual(problemsIn(taken.entries), ['id: 7 cannot be used: it belongs to feed F of npm/left']);
  assert.equal(taken.counts[1].rejected, 1);
  const twice = run(feed(draftOf('H', { id: 8 }), draftOf('I', { id: 8 })));
  assert.deepEqual(problemsIn(twice.entries), ['id: 8 cannot be used: another record of this run has it']);
  assert.deepEqual(twice.ids, { H: 8 });
});

test('numbers that an earlier import gave may come back in the feed that it wrote', (t) => {
  const { run } = runs(t);
  const { ids } = run(osv(draftOf('A')));
  const written = draftOf('A', { id: ids.A });
  const elsewhere = draftOf('A', { id: ids.A, product: { slug: 'right' } });
  assert.match(problemsIn(run(feed(elsewhere)).entries).join(), /belongs to osv A of npm\/left/);
  assert.deepEqual(run(feed(written), wordfence(draftOf('W'))).ids.A, ids.A);
  const other = draftOf('B', { id: ids.A });
  assert.match(
    problemsIn(run(osv(draftOf('A')), feed(other)).entries).join(),
    /belongs to osv A of npm\/left/,
  );
});

function warningsIn(entries: readonly AssembledEntry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === 'warning' ? [entry.text] : []));
}

test('a record whose product its source corrects takes its number along, with a warning', (t) => {
  const misspelt = { type: 'plugin', slug: 'galery' } as const;
  const correct = { type: 'plugin', slug: 'gallery' } as const;
  const { run } = runs(t);
  run(feed(draftOf('5', { id: 5, product: misspelt })), osv(draftOf('A', { product: misspelt })));
  const corrected = [
    feed(draftOf('5', { id: 5, product: correct })),
    osv(draftOf('A', { product: correct })),
  ];
  const first = run(...corrected);
  assert.deepEqual(problemsIn(first.entries), []);
  assert.deepEqual(first.ids, { 5: 5, A: FIRST_NUMBER });
  assert.deepEqual(warningsIn(first.entries), [
    'product: the record was about plugin/galery and is about plugin/gallery now; it keeps the id 5',
    `product: the record was about plugin/galery and is about plugin/gallery now; it keeps the id ${FIRST_NUMBER}`,
  ]);
  const again = run(...corrected);
  assert.deepEqual([again.ids, warningsIn(again.entries)], [first.ids, []]);
  const back = run(feed(draftOf('5', { id: 5, product: misspelt })));
  assert.deepEqual([back.ids, warningsIn(back.entries).length], [{ 5: 5 }, 1]);
});

test('a number stays with a product of which another record is left, or that the record is still about', (t) => {
  const { run } = runs(t);
  const elsewhere = { product: { slug: 'right' } };
  const shared = { cves: ['1'] };
  const { ids } = run(osv(draftOf('A', shared)), wordfence(draftOf('W', shared)));
  const parted = run(osv(draftOf('A', { ...shared, ...elsewhere })), wordfence(draftOf('W', shared)));
  assert.deepEqual(parted.ids, { A: FIRST_NUMBER + 1, W: ids.A });
  const { run: runOther } = runs(t);
  runOther(osv(draftOf('A')));
  const { records } = runOther(osv(draftOf('A'), draftOf('A', elsewhere)));
  assert.deepEqual(pluck(records, 'id'), [FIRST_NUMBER, FIRST_NUMBER + 1]);
});

test('records of one advisory take its number along together', (t) => {
  const { run } = runs(t);
  const both = (slug: string): Given[] => {
    const changes = { cves: ['1'], product: { slug } };
    return [wordfence(draftOf('W', changes)), osv(draftOf('A', changes))];
  };
  run(...both('left'));
  assert.deepEqual(run(...both('right')).ids, { W: FIRST_NUMBER });
});

test('a product has one number in all its advisories: the one that a source brings along, which stays', (t) => {
  const { run } = runs(t);
  const numbersIn = (records: readonly FeedRecord[]): number[] => records.map(({ product }) => product.id);
  const own = (id: number, productId: number): Draft =>
    draftOf(`F${id}`, { id, created_at: '2020-01-01T00:00:00Z', product: { id: productId } });
  assert.deepEqual(numbersIn(run(osv(draftOf('A')), feed(own(7, 3), own(8, 4))).records), [3, 3, 3]);
  assert.deepEqual(numbersIn(run(osv(draftOf('A'))).records), [3]);
  assert.deepEqual(numbersIn(run(feed(own(7, 4))).records), [3]);
});

test('a product keeps the number that it got first when a source brings another one along', (t) => {
  const { run } = runs(t);
  run(osv(draftOf('A')));
  const { records } = run(feed(draftOf('F', { id: 7, product: { id: 3 } })), osv(draftOf('A')));
  assert.deepEqual(
    records.map(({ product }) => product.id),
    [FIRST_NUMBER, FIRST_NUMBER],
  );
});

test('new numbers pass over those brought along in the same run', (t) => {
  const { ids } = runs(t).run(osv(draftOf('A')), feed(draftOf('F', { id: FIRST_NUMBER })));
  assert.deepEqual(ids, { A: FIRST_NUMBER + 1, F: FIRST_NUMBER });
});

test('advisories that become one get their lowest number; if they part again, each has its own', (t) => {
  const { run } = runs(t);
  const apart = run(osv(draftOf('A')), wordfence(draftOf('W'))).ids;
  assert.equal(apart.W, apart.A + 1);
  const joined = run(osv(draftOf('A', { cves: ['1'] })), wordfence(draftOf('W', { cves: ['1'] })));
  assert.deepEqual(joined.ids, { A: apart.A });
  assert.deepEqual(run(osv(draftOf('A')), wordfence(draftOf('W'))).ids, apart);
});

test('the number of an advisory that falls apart stays with the preferred source; the other record gets its own', (t) => {
  const { run } = runs(t);
  const whole = run(osv(draftOf('A', { cves: ['1'] })), wordfence(draftOf('W', { cves: ['1'] }))).ids;
  const parted = run(osv(draftOf('A')), wordfence(draftOf('W'))).ids;
  assert.deepEqual(parted, { A: whole.A, W: FIRST_NUMBER + 1 });
  assert.deepEqual(run(wordfence(draftOf('W')), osv(draftOf('A'))).ids, parted);
  assert.deepEqual(run(wordfence(draftOf('W'))).ids, { W: parted.W });
});

test('the number of two records of one source that fall apart stays with the one that had it first, in any order', (t) => {
  const { run } = runs(t);
  const whole = [draftOf('GHSA-1'), draftOf('MAL-1', { aliases: ['GHSA-1'] })];
  const { ids } = run(osv(...whole));
  const parted = run(osv(draftOf('MAL-1'), draftOf('GHSA-1'))).ids;
  assert.deepEqual(parted, { 'GHSA-1': ids['GHSA-1'], 'MAL-1': FIRST_NUMBER + 1 });
});

test('records of several databases that become one have the lower number, and their own again once they differ', (t) => {
  const { run } = runs(t);
  const other = { affected: [{ from_version: null, to_version: '9.0.0', to_bound: null, fixed_in: null }] };
  const go = (changes: DraftChanges = {}) => draftOf('GO-1', { ghsa: 'GHSA-1', ...changes });
  const apart = run(osv(go(other), draftOf('GHSA-1'))).ids;
  assert.deepEqual(apart, { 'GO-1': FIRST_NUMBER, 'GHSA-1': FIRST_NUMBER + 1 });
  const joined = run(osv(draftOf('GHSA-1'), go()));
  assert.deepEqual(joined.ids, { 'GHSA-1': FIRST_NUMBER });
  assert.deepEqual(joined.records[0].aliases, ['GO-1']);
  assert.deepEqual(run(osv(draftOf('GHSA-1'), go())).ids, joined.ids);
  assert.deepEqual(run(osv(draftOf('GHSA-1'), go(other))).ids, apart);
});

test('of several databases that become one, the symbols of the one that names them stay', (t) => {
  const { run } = runs(t);
  const specific = { imports: [{ path: 'example.com/m', symbols: ['A.B'] }] };
  const go = draftOf('GO-1', { ghsa: 'GHSA-1', ecosystem_specific: specific });
  for (const drafts of [
    [draftOf('GHSA-1'), go],
    [go, draftOf('GHSA-1')],
  ]) {
    const { records } = run(osv(...drafts));
    assert.deepEqual(pluck(records, 'ecosystem_specific'), [specific]);
    assert.deepEqual(records[0].aliases, ['GO-1']);
  }
});

test('numbers are not registered for what was rejected, and no line is written twice', (t) => {
  const { run, registryText } = runs(t);
  run(
    osv(draftOf('A'), draftOf('A', { title: 'Other' })),
    feed(draftOf('F', { id: 7 }), draftOf('G', { id: 7 })),
  );
  const before = registryText();
  assert.equal(before.split('\n').length, 1 + 2 + 1 + 1);
  run(osv(draftOf('A'), draftOf('A', { title: 'Other' })), feed(draftOf('F', { id: 7 })));
  assert.equal(registryText(), before);
});

test('the drafts of each source are counted', (t) => {
  const withdrawn = { withdrawn_at: '2026-01-05T00:00:00Z' };
  const { counts, totals, entries } = runs(t).run(
    osv(
      draftOf('GHSA-1', { cves: ['1'] }),
      draftOf('MAL-1', { aliases: ['GHSA-1'] }),
      draftOf('GHSA-2'),
      draftOf('GHSA-2'),
      draftOf('GHSA-2', { modified_at: '2026-01-01T00:00:00Z' }),
      draftOf('GHSA-3', { product: { type: 'plugin' }, ...withdrawn }),
    ),
    wordfence(draftOf('W', { cves: ['1'] }), draftOf('X', { title: 7 as unknown as string })),
  );
  const rows = counts.map(({ read, accepted, merged, skipped, rejected }) => [
    read,
    accepted,
    merged,
    skipped,
    rejected,
  ]);
  assert.deepEqual(rows, [
    [6, 3, 1, 1, 1],
    [2, 0, 1, 0, 1],
  ]);
  assert.deepEqual([...counts[0].skippedBy], [['repeated record', 1]]);
  assert.deepEqual(problemsIn(entries), [
    'source_id: GHSA-2 is also at source: GHSA-2, with other content; the record changed last is kept',
  ]);
  assert.deepEqual(
    [totals.advisories, totals.withdrawn, [...totals.byType], [...totals.mergedPairs]],
    [
      3,
      1,
      [
        ['npm', 2],
        ['plugin', 1],
      ],
      [
        ['osv-0 + osv-0', 1],
        ['osv-0 + wordfence-1', 1],
      ],
    ],
  );
});

test('a draft that is not a record is a reject with its reasons and its content', (t) => {
  const bad = draftOf('A', { url: 'nowhere', affected: [], product: { slug: '' } });
  const { refused, records } = runs(t).run(osv(bad, draftOf('B', { title: '\ud800' })));
  assert.deepEqual(
    refused.map(({ problems }) => problems.map(({ field }) => field)),
    [['url', 'product.slug', 'affected'], ['title']],
  );
  assert.equal(JSON.parse(Buffer.from(refused[0].bytes).toString()).url, 'nowhere');
  assert.deepEqual(records, []);
});

test('a draft without a product, or with one that is not an object, is a reject too', (t) => {
  for (const product of [undefined, null, 7]) {
    const { place, sourceId, record } = draftOf('A');
    const draft = { place, sourceId, record: { ...record, product } } as unknown as Draft;
    assert.deepEqual(
      runs(t)
        .run(osv(draft))
        .refused[0].problems.map(({ field }) => field),
      ['product'],
    );
  }
});

test('a PSID that two advisories have makes the second a reject', (t) => {
  const psid = defaultPsid(FIRST_NUMBER);
  const own = draftOf('F', { id: 7, psid, product: { slug: 'right' } });
  const { entries, counts } = runs(t).run(osv(draftOf('A')), feed(own));
  assert.deepEqual(problemsIn(entries), [`psid: ${psid} is also the PSID of another advisory`]);
  assert.equal(counts[1].rejected, 1);
});

test('a source that says less today loses nothing of what another says', (t) => {
  const { run } = runs(t);
  const both = run(
    osv(draftOf('A', { cves: ['1'], severity: 'low' })),
    wordfence(draftOf('W', { cves: ['1'] })),
  );
  const [merged] = both.records;
  assert.deepEqual(merged.aliases, ['W']);
  assert.deepEqual(
    merged.sources?.map(({ name }) => name),
    ['osv-0', 'wordfence-1'],
  );
});

/** A draft whose source does not know these members. */
function draftWithout(sourceId: string, fields: readonly Defaulted[], changes: DraftChanges = {}): Draft {
  const draft = draftOf(sourceId, changes);
  const known = Object.entries(draft.record).filter(([field]) => !fields.some((each) => each === field));
  // Any of them may be absent.
  return { ...draft, record: Object.fromEntries(known) as unknown as DraftRecord };
}

test('what no source knows gets a stand-in, after what one source does not know came from another', (t) => {
  const unknown = draftWithout('A', DEFAULTED, { cves: ['1'], modified_at: '2026-02-01T00:00:00Z' });
  const [alone] = runs(t).run(osv(unknown)).records;
  assert.deepEqual(
    [alone.title, alone.disclosed_at, alone.vuln_type],
    ['A', '2026-02-01T00:00:00Z', 'Unspecified'],
  );
  const other = draftOf('W', { cves: ['1'], patch_priority: 3 });
  const [merged] = runs(t).run(osv(unknown), wordfence(other)).records;
  assert.deepEqual(
    [merged.title, merged.disclosed_at, merged.vuln_type, merged.patch_priority, merged.source_id],
    ['About W', other.record.disclosed_at, 'SQL Injection', 3, 'A'],
  );
});
