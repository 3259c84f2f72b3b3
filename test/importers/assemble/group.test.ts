import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DraftStore } from '../../../src/importers/assemble/draft-store.ts';
import { groupDrafts } from '../../../src/importers/assemble/group.ts';
import type { Draft } from '../../../src/importers/source.ts';
import { type DraftChanges, draftOf, soundDraft } from '../../support/feeds/drafts.ts';
import { temporaryFolder } from '../../support/folder.ts';

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

const WITHDRAWN = { withdrawn_at: '2026-03-01T00:00:00Z' };

function span(to: string) {
  return { from_version: null, to_version: to, to_bound: 'exclusive', fixed_in: to } as const;
}

test('a malware report and the advisory that one of them names are one, the advisory first', (t) => {
  assert.deepEqual(grouped(t, [from(0, 'MAL-1', { aliases: ['GHSA-9'] }), from(0, 'GHSA-9')]), [
    ['GHSA-9', 'MAL-1'],
  ]);
  assert.deepEqual(grouped(t, [from(0, 'GHSA-9', { aliases: ['mal-1'] }), from(0, 'MAL-1')]), [
    ['GHSA-9', 'MAL-1'],
  ]);
});

test('an advisory can have several malware reports, but a report has one advisory: the live one, then the one with its ends', (t) => {
  const reports = ['MAL-1', 'MAL-2'].map((id) => from(0, id, { ghsa: 'GHSA-9' }));
  assert.deepEqual(grouped(t, [...reports, from(0, 'GHSA-9')]), [['GHSA-9', 'MAL-1', 'MAL-2']]);
  const report = from(0, 'MAL-1', { aliases: ['GHSA-8', 'GHSA-9'] });
  assert.deepEqual(grouped(t, [from(0, 'GHSA-8', WITHDRAWN), from(0, 'GHSA-9'), report]), [
    ['GHSA-8'],
    ['GHSA-9', 'MAL-1'],
  ]);
  const ends = { affected: [span('7.0.0')] };
  assert.deepEqual(grouped(t, [from(0, 'GHSA-8', ends), from(0, 'GHSA-9'), report]), [
    ['GHSA-8'],
    ['GHSA-9', 'MAL-1'],
  ]);
  assert.deepEqual(grouped(t, [from(0, 'GHSA-8'), from(0, 'GHSA-9'), report]), [
    ['GHSA-8'],
    ['GHSA-9'],
    ['MAL-1'],
  ]);
});

test('no other two records of one source are one advisory, whatever they name or share', (t) => {
  const pair = [from(0, 'GHSA-8', { aliases: ['GHSA-9'] }), from(0, 'GHSA-9', { aliases: ['GHSA-8'] })];
  assert.deepEqual(grouped(t, pair), [['GHSA-8'], ['GHSA-9']]);
  const other = [from(0, 'A', { ghsa: 'GHSA-9' }), from(0, 'GHSA-9', { aliases: ['A'] })];
  assert.deepEqual(grouped(t, other), [['A'], ['GHSA-9']]);
  const shared = { cves: ['CVE-2026-1'], aliases: ['X-1'] };
  assert.deepEqual(grouped(t, [from(0, 'A', shared), from(0, 'B', shared)]), [['A'], ['B']]);
});

test('records of one source are one advisory only in the same product', (t) => {
  const other = { aliases: ['GHSA-9'], product: { slug: 'right' } };
  assert.deepEqual(grouped(t, [from(0, 'GHSA-9'), from(0, 'MAL-1', other)]), [['GHSA-9'], ['MAL-1']]);
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
    from(0, 'D', { cves: ['2'], affected: [span('7.0.0')] }),
  ];
  // B could join A or D, and C could join D or B; those with the same ends are surer.
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
  ]) {
    const groups = grouped(t, chain, order).map((group) => group.toSorted());
    assert.deepEqual(groups, [['A', 'B', 'C'], ['D']]);
  }
});

test('records with two GHSA ids are never one advisory, not even through a third', (t) => {
  const cve = { cves: ['1'] };
  assert.deepEqual(grouped(t, [from(0, 'GHSA-8', cve), from(1, 'GHSA-9', cve)]), [['GHSA-8'], ['GHSA-9']]);
  const third = from(2, 'C', { aliases: ['GHSA-8', 'GHSA-9'] });
  const apart = [['GHSA-8'], ['GHSA-9'], ['C']];
  assert.deepEqual(grouped(t, [from(0, 'GHSA-8', cve), from(1, 'GHSA-9', cve), third]), apart);
});

test('an alias that two records only name does not make them one', (t) => {
  const shared = { aliases: ['X-1'] };
  assert.deepEqual(grouped(t, [from(0, 'A', shared), from(1, 'B', shared)]), [['A'], ['B']]);
  assert.deepEqual(grouped(t, [from(0, 'A', shared), from(1, 'X-1')]), [['A', 'X-1']]);
});

test('an id that very many records of a product have identifies none of them', (t) => {
  const many = Array.from({ length: 40 }, (_, i) => from(i % 2, `A-${i}`, { cves: ['1'] }));
  assert.equal(grouped(t, many).length, many.length);
});

test('a record joins the surest match: its own id, then live with live, a CVE, the same ends, the nearest date', (t) => {
  const partnerOf = (one: DraftChanges, other: DraftChanges): string | undefined => {
    const asked = from(1, 'X', { ghsa: 'GHSA-9', cves: ['1'], aliases: ['A', 'B'] });
    const groups = grouped(t, [from(0, 'A', one), from(0, 'B', other), asked]);
    return groups.find((group) => group.includes('X'))?.[0];
  };
  const cve = { cves: ['1'] };
  assert.equal(partnerOf(cve, { ghsa: 'GHSA-9', ...WITHDRAWN }), 'B');
  assert.equal(partnerOf({ ...cve, ...WITHDRAWN }, {}), 'B');
  assert.equal(partnerOf({}, cve), 'B');
  assert.equal(partnerOf({ ...cve, affected: [span('7.0.0')] }, cve), 'B');
  assert.equal(partnerOf({ ...cve, disclosed_at: '2025-01-01T00:00:00Z' }, cve), 'B');
  assert.equal(partnerOf(cve, cve), 'X', 'what is undecided stays apart');
});

test('matches that are taken leave the others to the rest', (t) => {
  const all = [
    from(0, 'A', { cves: ['1'] }),
    from(0, 'B', { ghsa: 'GHSA-9', cves: ['1'] }),
    from(1, 'X', { ghsa: 'GHSA-9', cves: ['1'] }),
    from(1, 'Y', { cves: ['1'] }),
  ];
  assert.deepEqual(grouped(t, all), [
    ['A', 'Y'],
    ['B', 'X'],
  ]);
});

test('records of different CVEs that end at different versions are two, whichever is preferred', (t) => {
  // 1.5 is affected by the first source, and the second one is about one of its two CVEs only.
  const both = from(0, 'F-1', { cves: ['CVE-2026-0001', 'CVE-2026-0002'], affected: [span('2.0.0')] });
  const one = from(1, 'X-1', { cves: ['CVE-2026-0001'], affected: [span('1.0.0')] });
  assert.deepEqual(grouped(t, [both, one], [1, 0]).length, 2);
  const equal = from(1, 'X-1', { cves: ['CVE-2026-0001'], affected: [span('2.0.0')] });
  assert.deepEqual(grouped(t, [both, equal], [1, 0]), [['X-1', 'F-1']]);
});

test('three sources do not chain into one through a CVE each', (t) => {
  const chain = [
    from(0, 'A-1', { cves: ['CVE-2026-0001'], affected: [span('1.0.0')] }),
    from(1, 'B-1', { cves: ['CVE-2026-0001', 'CVE-2026-0002'], affected: [span('2.0.0')] }),
    from(2, 'C-1', { cves: ['CVE-2026-0002'], affected: [span('3.0.0')] }),
  ];
  assert.equal(grouped(t, chain).length, 3);
});
