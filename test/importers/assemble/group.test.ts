import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DraftStore } from '../../../src/importers/assemble/draft-store.ts';
import { groupDrafts } from '../../../src/importers/assemble/group.ts';
import type { Draft } from '../../../src/importers/source.ts';
import { type DraftChanges, draftOf, soundDraft } from '../../support/feeds/drafts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

interface Sourced {
  readonly source: number;
  readonly draft: Draft;
}

/** The source ids in each group, the preferred first. */
function grouped(
  t: { after(clean: () => void): void },
  all: readonly Sourced[],
  order: readonly number[] = [0, 1, 2],
): string[][] {
  const store = new DraftStore(temporaryFolder(t));
  t.after(() => store.close());
  for (const { source, draft } of all) store.add(source, soundDraft(draft));
  const { members, starts } = groupDrafts(store, order);
  return Array.from({ length: starts.length - 1 }, (_, group) =>
    Array.from(members.subarray(starts[group], starts[group + 1]), (draft) => store.sourceIdText(draft)),
  );
}

function from(source: number, sourceId: string, changes: DraftChanges = {}): Sourced {
  return { source, draft: draftOf(sourceId, changes) };
}

test('records of one source are one advisory if one names the id of the other, the reviewed one first', (t) => {
  assert.deepEqual(grouped(t, [from(0, 'MAL-1', { aliases: ['GHSA-9'] }), from(0, 'GHSA-9')]), [
    ['GHSA-9', 'MAL-1'],
  ]);
  assert.deepEqual(grouped(t, [from(0, 'GHSA-9', { aliases: ['mal-1'] }), from(0, 'MAL-1')]), [
    ['GHSA-9', 'MAL-1'],
  ]);
  assert.deepEqual(grouped(t, [from(0, 'A', { ghsa: 'GHSA-9' }), from(0, 'GHSA-9', { ghsa: 'GHSA-9' })]), [
    ['GHSA-9', 'A'],
  ]);
});

test('records of one source are one advisory through a chain, but not for a shared CVE or alias', (t) => {
  const chain = [from(0, 'A', { aliases: ['B'] }), from(0, 'C', { aliases: ['B'] }), from(0, 'B')];
  assert.deepEqual(grouped(t, chain), [['A', 'B', 'C']]);
  const shared = { cves: ['CVE-2026-1'], aliases: ['X-1'] };
  assert.deepEqual(grouped(t, [from(0, 'A', shared), from(0, 'B', shared)]), [['A'], ['B']]);
});

test('records of one source are one advisory only in the same product', (t) => {
  const other = { aliases: ['A'], product: { slug: 'right' } };
  assert.deepEqual(grouped(t, [from(0, 'A'), from(0, 'B', other)]), [['A'], ['B']]);
});

test('records of different sources are one advisory if they share a CVE, a GHSA id or a source id, however written', (t) => {
  const cve = [from(0, 'A', { cves: ['CVE-2026-1'] }), from(1, 'B', { cves: ['2026-1'] })];
  assert.deepEqual(grouped(t, cve), [['A', 'B']]);
  const ghsa = [from(0, 'A', { ghsa: 'GHSA-x' }), from(1, 'B', { aliases: ['ghsa-X'] })];
  assert.deepEqual(grouped(t, ghsa), [['A', 'B']]);
  assert.deepEqual(grouped(t, [from(0, 'A'), from(1, 'A')]), [['A', 'A']]);
  assert.deepEqual(grouped(t, [from(0, 'A'), from(1, 'B')]), [['A'], ['B']]);
});

test('records of different sources are one advisory in the same product, whose WordPress slug may differ in case', (t) => {
  const plugin = (slug: string) => ({ cves: ['1'], product: { type: 'plugin', slug } }) as const;
  assert.deepEqual(grouped(t, [from(0, 'A', plugin('Forms')), from(1, 'B', plugin('forms'))]), [['A', 'B']]);
  assert.deepEqual(grouped(t, [from(0, 'A', plugin('forms')), from(1, 'B', plugin('form'))]), [['A'], ['B']]);
  const theme = from(1, 'B', { cves: ['1'], product: { type: 'theme', slug: 'forms' } });
  assert.deepEqual(grouped(t, [from(0, 'A', plugin('forms')), theme]), [['A'], ['B']]);
});

test('records of different sources are in the order of preference in their advisory', (t) => {
  const all = [from(0, 'A', { cves: ['1'] }), from(1, 'B', { cves: ['1'] }), from(2, 'C', { cves: ['1'] })];
  assert.deepEqual(grouped(t, all, [2, 0, 1]), [['C', 'A', 'B']]);
});

test('records of different sources are one advisory through a third source, but never two of one source', (t) => {
  const chain = [
    from(0, 'A', { cves: ['1'] }),
    from(1, 'B', { cves: ['1', '2'] }),
    from(2, 'C', { cves: ['2'] }),
    from(0, 'D', { cves: ['2'] }),
  ];
  // B could join A or D; A is the lower id. C shares a CVE with both groups, and joins one of them.
  assert.deepEqual(grouped(t, chain), [['A', 'B', 'C'], ['D']]);
});

test('a record joins its best match: the most shared ids, then the lowest id; the rest stay alone', (t) => {
  const all = [
    from(0, 'A', { cves: ['1'] }),
    from(0, 'B', { cves: ['1', '2'] }),
    from(1, 'X', { cves: ['1', '2'] }),
    from(1, 'Y', { cves: ['1'] }),
    from(1, 'Z', { cves: ['1'] }),
  ];
  assert.deepEqual(grouped(t, all), [['A', 'Y'], ['B', 'X'], ['Z']]);
  assert.deepEqual(grouped(t, all.toReversed()), [['Z'], ['A', 'Y'], ['B', 'X']]);
});

/** The same rules, in the plainest words: no index, every pair looked at. */
function groupedSlowly(all: readonly Sourced[], order: readonly number[]): Set<string> {
  const idsOf = ({ draft: { record } }: Sourced): string[] => {
    const ids = [record.source_id, record.ghsa, ...(record.cves ?? []), ...(record.aliases ?? [])];
    return [
      ...new Set(ids.map((id) => (id ?? '').toUpperCase().replace(/^CVE-/, '')).filter((id) => id !== '')),
    ];
  };
  const selfOf = ({ draft }: Sourced): string => (draft.record.source_id ?? '').toUpperCase();
  const productOf = ({ draft: { record } }: Sourced): string =>
    `${record.product.type} ${record.product.slug}`;
  const nameOf = (list: readonly Sourced[]): string => list[0].draft.sourceId;
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  let groups: Sourced[][] = [];
  for (const source of order) {
    let units = all.filter((one) => one.source === source).map((one) => [one]);
    const isTwin = (a: Sourced, b: Sourced): boolean =>
      productOf(a) === productOf(b) &&
      selfOf(a) !== selfOf(b) &&
      (idsOf(a).includes(selfOf(b)) || idsOf(b).includes(selfOf(a)));
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const a of units) {
        for (const b of units) {
          if (a === b || !isDone || !a.some((x) => b.some((y) => isTwin(x, y)))) continue;
          units = [...units.filter((unit) => unit !== a && unit !== b), [...a, ...b]];
          isDone = false;
        }
      }
    }
    for (const unit of units) {
      unit.sort((a, b) => {
        const isReviewed = (one: Sourced): number => Number(one.draft.sourceId.startsWith('GHSA-'));
        return isReviewed(b) - isReviewed(a) || compare(a.draft.sourceId, b.draft.sourceId);
      });
    }
    const pairs = units.flatMap((unit) =>
      groups
        .filter((group) => productOf(group[0]) === productOf(unit[0]))
        .map((group) => {
          const theirs = new Set(group.flatMap(idsOf));
          return {
            unit,
            group,
            shared: [...new Set(unit.flatMap(idsOf))].filter((id) => theirs.has(id)).length,
          };
        }),
    );
    const best = pairs
      .filter(({ shared }) => shared > 0)
      .sort(
        (a, b) =>
          b.shared - a.shared ||
          compare(nameOf(a.group), nameOf(b.group)) ||
          order.indexOf(a.group[0].source) - order.indexOf(b.group[0].source) ||
          compare(nameOf(a.unit), nameOf(b.unit)),
      );
    const joined = new Map<Sourced[], Sourced[]>();
    for (const { unit, group } of best) {
      if (!joined.has(unit) && ![...joined.values()].includes(group)) joined.set(unit, group);
    }
    const alone = units.filter((unit) => !joined.has(unit));
    groups = [
      ...groups.map((group) => {
        const unit = [...joined].find(([, other]) => other === group)?.[0];
        return unit === undefined ? group : [...group, ...unit];
      }),
      ...alone,
    ];
  }
  return new Set(
    groups.map((group) =>
      group
        .map(({ source, draft }) => `${source}:${draft.sourceId}/${productOf({ source, draft })}`)
        .join(' '),
    ),
  );
}

test('random drafts are grouped as by the rules in plain words', (t) => {
  const seed = printedSeed(t);
  const id = fc.integer({ min: 1, max: 8 });
  const random = fc.record({
    source: fc.integer({ min: 0, max: 2 }),
    slug: fc.constantFrom('left', 'right'),
    cves: fc.uniqueArray(
      id.map((n) => `CVE-2026-${n}`),
      { maxLength: 2 },
    ),
    ghsa: fc.option(
      id.map((n) => `GHSA-${n}`),
      { nil: '' },
    ),
    aliases: fc.uniqueArray(
      fc.oneof(
        id.map((n) => `GHSA-${n}`),
        id.map((n) => `MAL-${n}`),
      ),
      { maxLength: 2 },
    ),
    sourceId: fc.oneof(
      id.map((n) => `GHSA-${n}`),
      id.map((n) => `MAL-${n}`),
    ),
  });
  const orders = fc.constantFrom([0, 1, 2], [2, 0, 1], [1, 2, 0]);
  // Repeated drafts are left out before; the sizes make chains and competing pairs frequent.
  const drafts = fc.uniqueArray(random, {
    maxLength: 24,
    selector: ({ source, slug, sourceId }) => `${source} ${slug} ${sourceId}`,
  });
  const folder = temporaryFolder(t);
  let merged = 0;
  fc.assert(
    fc.property(drafts, orders, (list, order) => {
      const all = list.map(({ source, slug, sourceId, ...changes }) =>
        from(source, sourceId, { ...changes, product: { slug } }),
      );
      const store = new DraftStore(folder);
      try {
        for (const { source, draft } of all) store.add(source, soundDraft(draft));
        const { members, starts } = groupDrafts(store, order);
        const nameOf = (draft: number): string => {
          const { type, slug } = store.productKeyAt(draft);
          return `${store.sourceAt(draft)}:${store.sourceIdText(draft)}/${type} ${slug}`;
        };
        const groups = Array.from({ length: starts.length - 1 }, (_, group) =>
          Array.from(members.subarray(starts[group], starts[group + 1]), nameOf).join(' '),
        );
        merged += members.length - groups.length;
        assert.deepEqual(new Set(groups), groupedSlowly(all, order));
        assert.equal(members.length, all.length);
      } finally {
        store.close();
      }
    }),
    { seed, numRuns: volume(1_500) },
  );
  assert.ok(merged > volume(1_000), `only ${merged} drafts were merged`);
});
