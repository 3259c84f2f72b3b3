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

test('records of several databases in one source are one advisory if one names the other, GitHub’s first', (t) => {
  const ghsa = from(0, 'GHSA-9', { cves: ['CVE-2026-1'] });
  const go = from(0, 'GO-1', { aliases: ['ghsa-9'], cves: ['CVE-2026-1'] });
  assert.deepEqual(grouped(t, [go, ghsa]), [['GHSA-9', 'GO-1']]);
  assert.deepEqual(grouped(t, [from(0, 'GO-1'), from(0, 'GHSA-9', { aliases: ['GO-1'] })]), [
    ['GHSA-9', 'GO-1'],
  ]);
  assert.deepEqual(grouped(t, [from(0, 'GO-1', { ghsa: 'GHSA-9' }), ghsa]), [['GHSA-9', 'GO-1']]);
  const third = from(0, 'BIT-1', { aliases: ['GO-1'] });
  assert.deepEqual(grouped(t, [third, go, ghsa]), [['GHSA-9', 'BIT-1', 'GO-1']]);
  const gone = [from(0, 'GHSA-9', WITHDRAWN), from(0, 'GO-1', { aliases: ['GHSA-9'], ...WITHDRAWN })];
  assert.deepEqual(grouped(t, gone), [['GHSA-9', 'GO-1']]);
  const report = from(0, 'MAL-1', { aliases: ['GHSA-9'], affected: [span('9.0.0')] });
  assert.deepEqual(grouped(t, [report, go, ghsa]), [['GHSA-9', 'GO-1', 'MAL-1']]);
});

test('they affect the same versions, whatever the order and the form of the spans', (t) => {
  const ghsa = (affected: NonNullable<DraftChanges['affected']>) => from(0, 'GHSA-9', { affected });
  const go = (affected: NonNullable<DraftChanges['affected']>, more: DraftChanges = {}) =>
    from(0, 'GO-1', { aliases: ['GHSA-9'], affected, ...more });
  const open = { from_version: '5.0.0', to_version: null, to_bound: null, fixed_in: null } as const;
  const form = { from_version: '0', to_version: '2.0', to_bound: 'exclusive', fixed_in: null } as const;
  const one = [['GHSA-9', 'GO-1']];
  assert.deepEqual(grouped(t, [ghsa([span('2.0.0'), open]), go([open, form, span('2.0.0')])]), one);
  const point = {
    from_version: '3.0.0',
    to_version: '3.0.0',
    to_bound: 'inclusive',
    fixed_in: null,
  } as const;
  const listed = { affected_versions: ['3.0.0'] };
  assert.deepEqual(grouped(t, [ghsa([span('2.0.0'), point]), go([span('2.0.0')], listed)]), one);
  const two = [['GHSA-9'], ['GO-1']];
  for (const other of [
    [span('2.0.1')],
    [{ ...span('2.0.0'), from_version: '1.0.0' }],
    [span('2.0.0'), open],
    [{ ...span('2.0.0'), to_bound: 'inclusive' } as const],
    // Matched up to 1.9.0 alone, although it is fixed in the same version.
    [{ ...span('1.9.0'), to_bound: 'inclusive', fixed_in: '2.0.0' } as const],
  ]) {
    assert.deepEqual(grouped(t, [ghsa([span('2.0.0')]), go(other)]), two, JSON.stringify(other));
  }
  assert.deepEqual(grouped(t, [ghsa([span('2.0.0')]), go([span('2.0.0')], listed)]), two);
});

test('records of one source stay apart if anything contradicts, or leaves a choice', (t) => {
  const apart = (...all: readonly Sourced[]): void => {
    const ids = all.map(({ draft }) => [draft.sourceId]);
    assert.deepEqual(grouped(t, all), ids);
    assert.deepEqual(grouped(t, all.toReversed()), ids.toReversed());
  };
  apart(from(0, 'GHSA-8', { aliases: ['GHSA-9'] }), from(0, 'GHSA-9', { aliases: ['GHSA-8'] }));
  apart(from(0, 'GO-1', { aliases: ['GO-2'] }), from(0, 'GO-2', { aliases: ['GO-1'] }));
  const names = { aliases: ['GHSA-9'] };
  apart(from(0, 'GHSA-9', { cves: ['1'] }), from(0, 'GO-1', { ...names, cves: ['2'] }));
  apart(from(0, 'GHSA-9', { cves: ['1'] }), from(0, 'GO-1', { ...names, cves: ['1', '2'] }));
  apart(from(0, 'GHSA-9'), from(0, 'GO-1', { ...names, ...WITHDRAWN }));
  apart(from(0, 'GHSA-9'), from(0, 'GO-1', { ghsa: 'GHSA-7', aliases: ['GHSA-9'] }));
  apart(from(0, 'GHSA-9', { aliases: ['GO-1', 'GHSA-7'] }), from(0, 'GO-1'));
  apart(from(0, 'GHSA-9'), from(0, 'GO-1', names), from(0, 'GO-2', names));
  apart(from(0, 'GHSA-8', { aliases: ['GO-1'] }), from(0, 'GHSA-9', { aliases: ['GO-1'] }), from(0, 'GO-1'));
  // A chain over records without a CVE joins no two CVEs, and none of two GHSA ids.
  const middle = from(0, 'GO-1', { aliases: ['GHSA-9', 'BIT-1'] });
  apart(from(0, 'GHSA-9', { cves: ['1'] }), middle, from(0, 'BIT-1', { cves: ['2'] }));
  apart(
    from(0, 'GHSA-9', { aliases: ['GO-1'] }),
    from(0, 'GO-1', { aliases: ['BIT-1'] }),
    from(0, 'BIT-1', { ghsa: 'GHSA-8' }),
  );
  // The PYSEC record and the first GO record contradict each other, so neither is sure.
  apart(
    from(0, 'GHSA-9'),
    from(0, 'GO-1', { ...names, cves: ['1'] }),
    from(0, 'GO-2', names),
    from(0, 'PYSEC-1', { ...names, cves: ['2'] }),
  );
  const shared = { cves: ['CVE-2026-1'], aliases: ['X-1'] };
  apart(from(0, 'A-1', shared), from(0, 'B-1', shared));
  apart(
    ...Array.from({ length: 40 }, (_, i) => from(0, `DB${i}-1`, { aliases: ['GHSA-9'] })),
    from(0, 'GHSA-9'),
  );
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
