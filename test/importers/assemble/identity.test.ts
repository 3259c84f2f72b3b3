// Merging does not depend on the order in which records and sources are read: only `--prefer` decides who
// wins.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { Assembly } from '../../../src/importers/assemble/assembly.ts';
import { parsePreference } from '../../../src/importers/assemble/preference.ts';
import { SourceCounts } from '../../../src/importers/assemble/source-counts.ts';
import { IdRegistry } from '../../../src/importers/ids/id-registry.ts';
import { packDraft } from '../../../src/importers/packed-draft.ts';
import type { FeedRecord } from '../../../src/importers/record/feed-schema.ts';
import { type DraftChanges, draftOf } from '../../support/feeds/drafts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

const SOURCES = ['osv', 'wordfence', 'feed'] as const;
type Source = (typeof SOURCES)[number];

interface Drawn {
  readonly source: Source;
  readonly sourceId: string;
  readonly slug: string;
  readonly changes: DraftChanges;
}

interface Order {
  readonly sources: readonly Source[];
  readonly prefer: readonly Source[];
}

/** Every advisory as text, without the numbers, which follow the order in which advisories are first seen. */
function assembled(folder: string, drawn: readonly Drawn[], { sources, prefer }: Order): string[] {
  const counts = sources.map((source) => new SourceCounts(source, source, source));
  const assembly = new Assembly(folder, counts, parsePreference([prefer.join()], sources));
  try {
    for (const { source, sourceId, slug, changes } of drawn) {
      const at = sources.indexOf(source);
      counts[at].read++;
      const draft = draftOf(sourceId, { title: `${source} ${sourceId}`, ...changes, product: { slug } });
      assert.equal(assembly.add(at, packDraft(draft)), undefined);
    }
    const lines: string[] = [];
    for (const entry of assembly.records(new IdRegistry(join(folder, 'ids.tsv'), 0))) {
      if (entry.kind !== 'record') continue;
      const record = JSON.parse(Buffer.from(entry.line).toString()) as FeedRecord;
      lines.push(JSON.stringify({ ...record, id: 0, product: { ...record.product, id: 0 } }));
    }
    for (const each of counts) each.requireBalance();
    return lines.sort();
  } finally {
    assembly.close();
  }
}

const number = fc.integer({ min: 1, max: 4 });
const id = fc.oneof(
  number.map((n) => `GHSA-${n}`),
  number.map((n) => `MAL-${n}`),
  number.map((n) => `X-${n}`),
);
const changes = fc.record(
  {
    cves: fc.uniqueArray(
      fc.tuple(number, number).map(([year, n]) => `CVE-202${year}-000${n}`),
      { maxLength: 2 },
    ),
    ghsa: number.map((n) => `GHSA-${n}`),
    aliases: fc.uniqueArray(id, { maxLength: 3 }),
    disclosed_at: number.map((n) => `202${n}-01-01T00:00:00Z`),
    withdrawn_at: fc.constant('2026-03-01T00:00:00Z'),
    affected: number.map((n) => [
      { from_version: null, to_version: `${n}.0.0`, to_bound: 'exclusive' as const, fixed_in: `${n}.0.0` },
    ]),
  },
  { requiredKeys: [] },
);
// Repeated records are left out before; the sizes make chains and competing pairs frequent.
const drafts = fc.uniqueArray(
  fc.record({
    source: fc.constantFrom(...SOURCES),
    sourceId: id,
    slug: fc.constantFrom('left', 'right'),
    changes,
  }),
  { maxLength: 24, selector: ({ source, slug, sourceId }) => `${source} ${slug} ${sourceId}` },
);
const permuted = fc.shuffledSubarray([...SOURCES], { minLength: SOURCES.length });

test('merging is independent of the order of records and of sources', (t) => {
  const seed = printedSeed(t);
  const folder = temporaryFolder(t);
  let merged = 0;
  const property = fc.property(
    drafts.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    ),
    permuted,
    permuted,
    ([list, shuffled], sources, prefer) => {
      const expected = assembled(folder, list, { sources: SOURCES, prefer });
      assert.deepEqual(assembled(folder, shuffled, { sources, prefer }), expected);
      merged += list.length - expected.length;
    },
  );
  fc.assert(property, { seed, numRuns: volume(1_500) });
  assert.ok(merged > volume(500), `only ${merged} records were merged`);
});

test('which records are one does not depend on which source is preferred', (t) => {
  const seed = printedSeed(t);
  const folder = temporaryFolder(t);
  const idsIn = (lines: readonly string[]): string[] =>
    lines
      .map((line) => {
        const { source_id = '', ghsa = '', cves = [], aliases = [] } = JSON.parse(line) as FeedRecord;
        return [...new Set([source_id, ghsa, ...cves, ...aliases])].sort().join();
      })
      .sort();
  const property = fc.property(drafts, permuted, (list, prefer) => {
    const first = assembled(folder, list, { sources: SOURCES, prefer: SOURCES });
    assert.deepEqual(idsIn(assembled(folder, list, { sources: SOURCES, prefer })), idsIn(first));
  });
  fc.assert(property, { seed, numRuns: volume(1_000) });
});

/** Whether a record affects the version below this one: those drawn have one span, without a lower bound. */
function affects({ affected = [] }: DraftChanges | FeedRecord, major: number): boolean {
  return affected.some(({ to_version }) => major <= Number.parseInt(to_version ?? '', 10));
}

test('what a source calls affected stays affected, unless a record about the same CVEs says otherwise', (t) => {
  const seed = printedSeed(t);
  const folder = temporaryFolder(t);
  const live = drafts.map((list) =>
    list
      .filter(({ sourceId }) => !sourceId.startsWith('MAL'))
      .map((drawn): Drawn => {
        // Which of the CVEs of a record are its own is another question if it names other GHSA ids.
        const { withdrawn_at: _, aliases = [], ...others } = drawn.changes;
        const names = aliases.filter((name) => !name.startsWith('GHSA'));
        const ghsa = drawn.sourceId.startsWith('GHSA') ? { ghsa: drawn.sourceId } : {};
        return { ...drawn, changes: { affected: [], ...others, ...ghsa, aliases: names } };
      })
      .filter(({ changes: { affected = [] } }) => affected.length > 0),
  );
  let corrected = 0;
  let apart = 0;
  const property = fc.property(live, permuted, (list, prefer) => {
    const records = assembled(folder, list, { sources: SOURCES, prefer }).map(
      (line) => JSON.parse(line) as FeedRecord,
    );
    const idsOf = ({ source_id = '', aliases = [], ghsa = '' }: FeedRecord): string[] => [
      source_id,
      ghsa,
      ...aliases,
    ];
    apart += records.length;
    for (const { sourceId, slug, changes } of list) {
      const own = records.filter(
        (record) => record.product.slug === slug && idsOf(record).includes(sourceId),
      );
      assert.ok(own.length > 0, sourceId);
      for (const major of [1, 2, 3, 4]) {
        if (!affects(changes, major) || own.some((record) => affects(record, major))) continue;
        const mine = [...(changes.cves ?? [])].sort().join();
        const corrects = list.some((other) => {
          const theirs = [...(other.changes.cves ?? [])].sort().join();
          return (
            other.slug === slug &&
            !affects(other.changes, major) &&
            (mine === theirs || mine === '' || theirs === '')
          );
        });
        assert.ok(corrects, `${sourceId} ${major} of ${JSON.stringify(list)}`);
        corrected++;
      }
    }
  });
  fc.assert(property, { seed, numRuns: volume(1_500) });
  assert.ok(corrected > volume(10) && apart > volume(1_000), JSON.stringify({ corrected, apart }));
});
