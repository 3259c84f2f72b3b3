// Draws the sample: a synthetic feed with realistic shapes, and lookups near all of its bounds. Nothing is
// copied from a real advisory. Cases that the generator does not produce are written by hand.

import { Dice } from '../../src/generator/dice.ts';
import { generateFeed } from '../../src/generator/feed.ts';
import type { Advisory, Query, Span } from './scan.ts';

const SEED = 2026;
const GENERATED = 140;
const SCANNED = ['plugin', 'theme', 'wordpress', 'npm']; // PHP and node-semver know no other order
const LOOKUPS_A_BOUND = 3;
const MOST_LOOKUPS_A_PRODUCT = 12;
const FIRST_BY_HAND = 9_001;

/** The required members of a record; the others change no answer here. */
interface Fact extends Advisory {
  readonly title: string;
  readonly disclosed_at: string;
  readonly created_at: string;
  readonly url: string;
  readonly vuln_type: string;
  readonly product: {
    readonly id: number;
    readonly type: string;
    readonly slug: string;
    readonly name: string;
  };
}

function span(
  from: string | null,
  to: string | null,
  bound: Span['to_bound'] = to === null ? null : 'inclusive',
  fix: string | null = null,
): Span {
  return { from_version: from, to_version: to, to_bound: bound, fixed_in: fix };
}

type More = Pick<Advisory, 'affected_versions' | 'version_scheme' | 'withdrawn_at'>;
type ByHand = readonly [type: string, slug: string, affected: readonly Span[], more?: More];

const BY_HAND: readonly ByHand[] = [
  // Core ships 6.9 where an advisory begins at 6.9.0, a plugin 1.5.0 where one ends at 1.5, and vice versa.
  [
    'wordpress',
    'wordpress',
    [span('6.8.0', '6.8.3', 'inclusive', '6.8.4'), span('6.9.0', '6.9.1', 'inclusive', '6.9.2')],
  ],
  [
    'wordpress',
    'wordpress',
    [span(null, '5.2', 'exclusive', '5.2'), span('5.2', '5.2.4', 'inclusive', '5.2.5')],
  ],
  ['plugin', 'padded-gallery', [span(null, '1.5', 'inclusive', '1.5.1')]],
  ['plugin', 'padded-gallery', [span('2.0.0.0', '2.1', 'exclusive', '2.1')]],
  // Words, signs and letters between digits.
  ['plugin', 'beta-forms', [span('1.0-beta', '1.0', 'exclusive', '1.0')]],
  ['plugin', 'beta-forms', [span('2.0-RC1', '2.0pl1'), span('3.0b', '3.0.0-rc.2', 'last-affected')]],
  ['theme', 'dated-paper', [span(null, '2024.11.05', 'exclusive', '2024-11-05')]],
  ['plugin', 'Mixed-Case', [span('V1.2', 'v1.4_2', 'inclusive', 'V1.4_3')]],
  ['plugin', 'long-parts', [span(null, '20240229235959', 'inclusive', '20240301000000')]],
  // The other orders, for feeds that ask for them.
  ['plugin', 'plain-php', [span('1.0', '1.5', 'inclusive', '1.5.0')], { version_scheme: 'php' }],
  ['plugin', 'two-decimals', [span(null, '3.41', 'inclusive', '3.5')], { version_scheme: 'decimal' }],
  ['plugin', 'two-orders', [span('1.0', '1.5.0', 'exclusive')], { version_scheme: 'php' }],
  ['plugin', 'two-orders', [span('1.0', '1.5.0', 'exclusive')]],
  // A fix inside the next span, one that leads in a circle, and one that is not a version.
  ['plugin', 'chained', [span('1.0', '1.2', 'exclusive', '1.2'), span('1.2', '1.3', 'inclusive', '1.4')]],
  ['plugin', 'chained', [span('2.0', '2.2', 'inclusive', '2.1')]],
  ['npm', 'chained-fix', [span('1.0.0', '1.2.0', 'exclusive', '1.2.0'), span('1.2.0', null, null, null)]],
  // OSV's zero, pre-releases on both sides of a bound, forms that only loose mode accepts.
  ['npm', 'zero-start', [span('0', '1.0.0', 'exclusive', '1.0.0')]],
  ['npm', 'zero-start', [span('0.0.0', null, null, null)]],
  [
    'npm',
    '@sample/pre-release',
    [span(null, '2.0.0', 'exclusive', '2.0.0'), span('3.0.0-0', '3.0.0-rc.2', 'last-affected')],
  ],
  ['npm', 'calendar', [span('2025.01.02', '2025.08.14', 'exclusive', '2025.08.14')]],
  ['npm', 'CamelCase', [span('1.2.3beta', '1.2.3', 'exclusive', 'v1.2.3')]],
  ['npm', 'exact-only', [], { affected_versions: ['1.0.0', '1.0.1-rc.1', '9007199254740991.0.0'] }],
  ['npm', 'taken-back', [span(null, null)], { withdrawn_at: '2026-02-01T00:00:00Z' }],
];

/** Handwritten: queries that drawing near the bounds does not reach. */
const QUERIES_BY_HAND: readonly Query[] = [
  ...['6.8', '6.9', '6.9.0', '6.9.1', '6.9.1.0', '6.9.2', '6.9-RC1', '6.10', '5.2', '5.1.99'].map(
    (version) => {
      return { type: 'wordpress', name: 'wordpress', version };
    },
  ),
  ...['1.5.0', '1.5.0.0', '1.5.1', '1.5pl1', '2', '2.0', '2.1-dev', '2.1.0', '*'].map((version) => {
    return { type: 'plugin', name: 'Padded-Gallery', version };
  }),
  ...['1.5.0', '1.5', '1.0.0', '1'].map((version) => ({ type: 'plugin', name: 'plain-php', version })),
  ...['3.5', '3.41', '3.409', '3.42', '3.4100'].map((version) => ({
    type: 'plugin',
    name: 'two-decimals',
    version,
  })),
  ...['0.0.0-alpha', '0.0.0', '0', '1.0.0-rc.1', '1.0.0'].map((version) => ({
    type: 'npm',
    name: 'zero-start',
    version,
  })),
  ...['2.0.0-rc.1', '2.0.0', '3.0.0-0', '3.0.0-alpha', '3.0.0-rc.2', '3.0.0-rc.3', '3.0.0'].map((version) => {
    return { type: 'npm', name: '@sample/pre-release', version };
  }),
  ...['2025.08.13', '2025.8.14', '2025.08.14', '2025.1.2', 'v2025.01.02'].map((version) => {
    return { type: 'npm', name: 'calendar', version };
  }),
  ...['1.2.3beta', '1.2.3-beta', '1.2.3-alpha', '1.2.3', '=1.2.3'].map((version) => ({
    type: 'npm',
    name: 'CamelCase',
    version,
  })),
  // Not versions, for known and unknown packages.
  ...['latest', '1.x', '^1.0.0', '1.2.3.4', '>=1.0.0', '-', ' '].flatMap((version) => [
    { type: 'npm', name: 'zero-start', version },
    { type: 'npm', name: 'nobody-knows-this', version },
  ]),
  ...['-', '--', ' ', '...'].flatMap((version) => [
    { type: 'plugin', name: 'plain-php', version },
    { type: 'theme', name: 'nobody-knows-this', version },
  ]),
  ...['latest', '1.x', '*'].map((version) => ({ type: 'plugin', name: 'nobody-knows-this', version })),
  { type: 'npm', name: 'taken-back', version: '1.0.0' },
  { type: 'npm', name: 'taken-back', version: '*' },
];

/**
 * A generated record without its prose; of its schemes only `decimal` is kept, otherwise the default applies.
 */
function factOf(record: Fact & { readonly version_scheme?: string }): Fact {
  const { id, title, disclosed_at, created_at, url, vuln_type, product, version_scheme } = record;
  const { affected, affected_versions, withdrawn_at } = record;
  const isDecimal = version_scheme === 'decimal';
  return {
    id,
    title,
    disclosed_at,
    created_at,
    url,
    vuln_type,
    product: { id: product.id, type: product.type, slug: product.slug, name: product.name },
    ...(affected === undefined ? {} : { affected }),
    ...(affected_versions === undefined ? {} : { affected_versions }),
    ...(isDecimal ? { version_scheme: 'decimal' as const } : {}),
    ...(withdrawn_at === undefined ? {} : { withdrawn_at }),
  };
}

function byHand([type, slug, affected, more]: ByHand, i: number): Fact {
  const id = FIRST_BY_HAND + i;
  return {
    id,
    title: `${slug}: made by hand`,
    disclosed_at: '2026-01-02T03:04:05Z',
    created_at: '2026-01-03T00:00:00Z',
    url: `https://advisories.example/${id}`,
    vuln_type: 'SQL Injection',
    product: { id, type, slug, name: slug },
    affected,
    ...more,
  };
}

export function drawFeed(): Fact[] {
  const generated = [...generateFeed({ advisories: GENERATED, seed: SEED })].filter(({ product }) =>
    SCANNED.includes(product.type),
  );
  // Generated records have every member of a fact, under the same names.
  return [...generated.map((record) => factOf(record as unknown as Fact)), ...BY_HAND.map(byHand)];
}

/** A version close to a bound, as clients write it. */
function near(
  dice: Dice,
  { type, version, isDecimal }: { type: string; version: string; isDecimal: boolean },
): string {
  const numbers = /\d+(?!.*\d)/;
  const raised = version.replace(numbers, (last) => String(Number(last) + 1));
  const lowered = version.replace(numbers, (last) => String(Math.max(0, Number(last) - 1)));
  const plain = [version, raised, lowered];
  if (isDecimal) return dice.pick([...plain, `${version}0`, `${version}.0`, `${version}.5`]);
  if (type === 'npm')
    return dice.pick([
      ...plain,
      `v${version}`,
      `${raised}-rc.1`,
      `${version}-0`,
      `${version}+b1`,
      `=${version}`,
    ]);
  return dice.pick([
    ...[
      ...plain,
      ...plain,
      `${version}.0`,
      `${version}.0.0`,
      version.replace(/\.0$/, ''),
      `v${version}`,
      `V${version}`,
    ],
    ...[
      `${version}-beta1`,
      `${version} RC2`,
      `${version}pl1`,
      `${version}.1`,
      ` ${version} `,
      `${version}-dev`,
    ],
  ]);
}

export function drawQueries(feed: readonly Fact[]): Query[] {
  const dice = new Dice(SEED);
  const products = groupByProduct(feed);
  const drawn = [...products.values()].flatMap((advisories) => {
    const { type, slug: name } = advisories[0].product;
    const isDecimal = advisories.some(({ version_scheme }) => version_scheme === 'decimal');
    const bounds = advisories.flatMap(({ affected = [], affected_versions = [] }) => [
      ...affected.flatMap(({ from_version, to_version, fixed_in }) => [from_version, to_version, fixed_in]),
      ...affected_versions,
    ]);
    const versions = bounds
      .filter((version) => version !== null)
      .flatMap((version) =>
        Array.from({ length: LOOKUPS_A_BOUND }, () => near(dice, { type, version, isDecimal })),
      );
    const kept = [...new Set(versions)].filter((version) => version.trim() !== '');
    while (kept.length > MOST_LOOKUPS_A_PRODUCT) kept.splice(dice.whole(0, kept.length - 1), 1);
    return [...kept, ...(dice.chance(0.2) ? ['*'] : [])].map((version): Query => ({ type, name, version }));
  });
  return [...drawn, ...QUERIES_BY_HAND];
}

function groupByProduct(feed: readonly Fact[]): Map<string, Fact[]> {
  const groups = new Map<string, Fact[]>();
  for (const advisory of feed) {
    const key = `${advisory.product.type}/${advisory.product.slug}`;
    groups.set(key, [...(groups.get(key) ?? []), advisory]);
  }
  return groups;
}
