import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import { affectedVersions } from '../../../src/importers/osv/affected.ts';
import { readOsvRecord } from '../../../src/importers/osv/osv-record.ts';
import type { FeedSpan, FieldProblem } from '../../../src/importers/record/feed-schema.ts';
import { type ProductType, productTypeFacts } from '../../../src/index/product-type.ts';
import {
  isVulnerableByText,
  npmEntry,
  OSV_POOLS,
  type OsvAffectedJson,
  osvRecord,
  randomAffected,
} from '../../support/feeds/osv.ts';
import { compare } from '../../support/oracles/linear-scan.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

function affectedOf(
  entries: readonly unknown[],
  type: ProductType = 'npm',
): ReturnType<typeof affectedVersions> {
  const record = readOsvRecord(osvRecord({ affected: entries }), []);
  assert.ok(record);
  return affectedVersions(record.affected, productTypeFacts(type));
}

/** `[from, to)`, `[from, to]` with a last affected version, `*` for no bound. */
function texts({ spans }: { readonly spans: readonly FeedSpan[] }): string[] {
  return spans.map(({ from_version, to_version, to_bound }) => {
    const end = to_bound === 'last-affected' ? ']' : ')';
    return `[${from_version ?? '*'}, ${to_version ?? '*'}${end}`;
  });
}

const RECORDS = volume(50_000);

for (const { scheme, type, ecosystem, pool, probes } of OSV_POOLS) {
  test(`affected versions are those that the schema gives for the raw events: ${RECORDS} ${scheme} records`, (t) => {
    const asked = [...pool, ...probes];
    // Ranks, because every pair is compared a thousand times; equal versions share one.
    const sorted = asked.toSorted((a, b) => compare(scheme, a, b));
    const ranks = new Map<string, number>();
    sorted.forEach((version, at) => {
      const before = sorted[at - 1];
      const isEqual = at > 0 && compare(scheme, before, version) === 0;
      ranks.set(version, isEqual ? rank(before) : at);
    });
    function rank(version: string): number {
      const known = ranks.get(version);
      assert.ok(known !== undefined, version);
      return known;
    }
    const byRank = (a: string, b: string): number => rank(a) - rank(b);
    const holds = ({ from_version, to_version, to_bound }: FeedSpan, version: string): boolean => {
      if (from_version !== null && byRank(version, from_version) < 0) return false;
      if (to_version === null) return true;
      const order = byRank(version, to_version);
      return to_bound === 'exclusive' ? order < 0 : order <= 0;
    };

    const dice = new Dice(printedSeed(t));
    let vulnerable = 0;
    let withoutVersions = 0;
    for (let count = 0; count < RECORDS; count++) {
      const entries: OsvAffectedJson[] = randomAffected(dice, { ecosystem, name: 'plugin/tidy' }, pool);
      const { spans, exact } = affectedOf(entries, type);
      if (spans.length + exact.length === 0) withoutVersions++;
      for (const version of asked) {
        const expected = isVulnerableByText(version, entries, byRank);
        const found =
          spans.some((span) => holds(span, version)) || exact.some((one) => byRank(one, version) === 0);
        if (found !== expected) {
          assert.fail(`${version} is ${expected ? '' : 'not '}affected by ${JSON.stringify(entries)}`);
        }
        if (expected) vulnerable++;
      }
    }
    const share = vulnerable / (RECORDS * asked.length);
    assert.ok(share > 0.2 && share < 0.8, `${share} of the verdicts are "affected"`);
    assert.ok(withoutVersions > 0, 'some records affect nothing');
  });
}

test('affected versions of several entries of one package are merged in the order of versions', () => {
  const entries = [
    npmEntry('semver', [{ introduced: '7.0.0' }, { fixed: '7.5.2' }]),
    npmEntry('semver', [{ introduced: '6.0.0' }, { fixed: '6.3.1' }]),
    npmEntry('semver', [{ introduced: '2.0.0-alpha' }, { fixed: '5.7.2' }]),
    npmEntry('semver', [{ introduced: '6.0.0' }, { fixed: '6.3.1' }], 'ECOSYSTEM'),
  ];
  const found = affectedOf(entries);
  assert.deepEqual(texts(found), ['[2.0.0-alpha, 5.7.2)', '[6.0.0, 6.3.1)', '[7.0.0, 7.5.2)']);
  assert.deepEqual(found.problems, []);
});

test('versions listed one by one are kept where no span has them, once each', () => {
  const entry = { ...npmEntry('colors', [{ introduced: '1.4.1' }, { last_affected: '1.4.2' }]) };
  const list = { package: entry.package, versions: ['1.4.44-liberty-2', '1.4.2', '1.4.0', 'v1.4.0'] };
  const found = affectedOf([entry, list]);
  assert.deepEqual(texts(found), ['[1.4.1, 1.4.2]']);
  assert.deepEqual(found.exact, ['1.4.0', '1.4.44-liberty-2']);
});

test('listed versions that are not versions are left out, with one problem for a list', () => {
  const found = affectedOf([
    { package: { ecosystem: 'npm', name: 'a' }, versions: ['latest', '1.0.0', '*', 7] },
    { package: { ecosystem: 'npm', name: 'a' }, versions: ['banana'] },
  ]);
  assert.deepEqual(found.exact, ['1.0.0']);
  assert.deepEqual(found.problems, [
    {
      field: 'affected[0].versions',
      message: '3 of 4 are left out; the first: "latest" is not a semver version',
    },
    { field: 'affected[1].versions', message: '"banana" is not a semver version; it is left out' },
  ]);
});

test('a listed text that the scheme cannot order is kept, each once', () => {
  const named = { ecosystem: 'PyPI', name: 'buildbot' };
  const found = affectedOf([{ package: named, versions: ['0.8.4p2', '0.8.4', ' 0.8.4p2', '>= 1'] }], 'pypi');
  assert.deepEqual(
    [found.exact, found.listed],
    [
      ['0.8.4', '0.8.4p2'],
      ['0.8.4', '0.8.4p2'],
    ],
  );
  assert.match(found.problems[0].message, /^">= 1" is an expression, not a version; it is left out$/);
});

test('affected versions survive a bad range beside good ones, and the problem names it', () => {
  const found = affectedOf([
    npmEntry('a', [{ introduced: '1.0.0' }, { fixed: '1.5.0' }]),
    npmEntry('a', [{ introduced: '2.0.0' }, { fixed: '2.x' }]),
    npmEntry('a', [{ introduced: '3.0.0' }, { fixed: '3.1.0' }], 'CALENDAR'),
  ]);
  assert.deepEqual(texts(found), ['[1.0.0, 1.5.0)', '[2.0.0, *)']);
  assert.deepEqual(found.problems, [
    {
      field: 'affected[1].ranges[0].events[1].fixed',
      message: '"2.x" is an expression, not a version; the span has no end',
    },
    {
      field: 'affected[2].ranges[0].type',
      message: 'must be SEMVER, ECOSYSTEM or GIT (got "CALENDAR"); the range is left out',
    },
  ]);
});

test('affected versions are unknown for ranges of commits alone, and for an entry that says nothing', () => {
  const commits = affectedOf([npmEntry('a', [{ introduced: '0' }, { fixed: 'd8ca915' }], 'GIT')]);
  assert.deepEqual([commits.spans, commits.exact, commits.problems, commits.hasCommits], [[], [], [], true]);
  const nothing = affectedOf([{ package: { ecosystem: 'npm', name: 'a' }, ranges: [], versions: [] }]);
  assert.deepEqual(nothing.problems, [{ field: 'affected[0]', message: 'has neither ranges nor versions' }]);
  assert.equal(nothing.hasCommits, false);
});

/** An entry without a fix of which GitHub says where it ends. */
function lastKnown(range: unknown, introduced = '0'): OsvAffectedJson {
  const database_specific = { last_known_affected_version_range: range };
  return { ...npmEntry('a', [{ introduced }]), database_specific };
}

test('an open span ends at the last known affected version that GitHub names, without a fix', () => {
  // As GHSA-4r6h-8v6p-xvw6 of xlsx, whose fixed versions are not on the registry.
  const { spans, problems } = affectedOf([lastKnown('< 0.19.3')]);
  const span = { from_version: null, to_version: '0.19.3', to_bound: 'exclusive', fixed_in: null };
  assert.deepEqual([spans, problems], [[span], []]);
  assert.deepEqual(texts(affectedOf([lastKnown('<= 1.2.3', '1.0.0')])), ['[1.0.0, 1.2.3]']);
});

test('a span that has an end keeps it, whatever the last known affected version', () => {
  const { database_specific } = lastKnown('<= 9.0.0');
  const entry = { ...npmEntry('a', [{ introduced: '0' }, { fixed: '1.0.0' }]), database_specific };
  const found = affectedOf([entry]);
  assert.deepEqual([texts(found), found.problems], [['[*, 1.0.0)'], []]);
});

test('a last known affected version that ends no span leaves it open, with a warning', () => {
  for (const [range, introduced] of [
    ['1.2.3', '0'],
    ['>= 1.0.0, < 2.0.0', '0'],
    ['< next', '0'],
    [7, '0'],
    ['< 1.0.0', '1.0.0'],
  ] as const) {
    const found = affectedOf([lastKnown(range, introduced)]);
    assert.deepEqual(texts(found), [`[${introduced === '0' ? '*' : introduced}, *)`]);
    assert.equal(found.problems.length, 1, String(range));
    assert.match(found.problems[0].field, /database_specific\.last_known_affected_version_range$/);
  }
});

test('a range of ten thousands of events is a span for each pair', () => {
  const count = volume(150_000); // all of it is more than a call has room for arguments
  const pairs = Array.from({ length: count }, (_, i) => [{ introduced: `${i}.0.0` }, { fixed: `${i}.5.0` }]);
  const { spans, problems } = affectedOf([npmEntry('left-pad', pairs.flat())]);
  assert.deepEqual([spans.length, problems], [count, []]);
});

test('ten thousands of ranges without a type each have a problem', () => {
  const ranges = Array.from({ length: 50_000 }, () => ({ events: [] }));
  const problems: FieldProblem[] = [];
  const entry = { ...npmEntry('left-pad', []), ranges };
  assert.equal(readOsvRecord(osvRecord({ affected: [entry] }), problems), undefined);
  assert.equal(problems.length, ranges.length);
  assert.deepEqual(problems.at(-1), { field: 'affected[0].ranges[49999].type', message: 'is required' });
});
