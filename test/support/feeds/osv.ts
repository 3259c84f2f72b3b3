// OSV records for tests, and the verdict on a version straight from the text of the OSV schema, on the raw
// events: https://ossf.github.io/osv-schema/#evaluation. It knows nothing of spans.

import { ecosystemOf } from '../../../src/dialects/osv/ecosystems.ts';
import type { Dice } from '../../../src/generator/dice.ts';
import type { ProductType } from '../../../src/index/product-type.ts';
import type { VersionScheme } from '../../../src/index/versions/version-key.ts';
import { words } from '../words.ts';

export interface OsvEventJson {
  readonly introduced?: string;
  readonly fixed?: string;
  readonly last_affected?: string;
  readonly limit?: string;
}

export interface OsvRangeJson {
  readonly type: string;
  readonly events: readonly OsvEventJson[];
}

export interface OsvAffectedJson {
  readonly package: { readonly ecosystem: string; readonly name: string };
  readonly ranges?: readonly OsvRangeJson[];
  readonly versions?: readonly string[];
  readonly [member: string]: unknown;
}

export interface OsvJson {
  readonly id: string;
  readonly modified: string;
  readonly affected: readonly OsvAffectedJson[];
  readonly [member: string]: unknown;
}

/** An ecosystem that OSV defines and that is not held, of those that are far from being held. */
export const [OTHER_ECOSYSTEM] = ['opam', 'Julia', 'Debian', 'GIT'].filter(
  (name) => ecosystemOf(name).kind === 'other',
);

/** A sound record of one npm package; `changes` replace its members. */
export function osvRecord(changes: Readonly<Record<string, unknown>> = {}): OsvJson {
  return {
    schema_version: '1.7.3',
    id: 'GHSA-2222-3333-4444',
    modified: '2026-03-01T10:00:00.123456789Z',
    published: '2026-02-01T10:00:00Z',
    aliases: ['CVE-2026-1234'],
    summary: 'Prototype pollution in tidy-tree',
    details: 'Objects can be polluted.',
    affected: [npmEntry('tidy-tree', [{ introduced: '0' }, { fixed: '1.2.3' }])],
    ...changes,
  };
}

export function npmEntry(name: string, events: readonly OsvEventJson[], type = 'SEMVER'): OsvAffectedJson {
  return { package: { ecosystem: 'npm', name }, ranges: [{ type, events }] };
}

interface VersionPool {
  readonly scheme: VersionScheme;
  readonly type: ProductType;
  readonly ecosystem: string;
  /** What random records are made of. */
  readonly pool: readonly string[];
  /** Other versions, around those. */
  readonly probes: readonly string[];
}

export const OSV_POOLS: readonly VersionPool[] = [
  {
    scheme: 'semver',
    type: 'npm',
    ecosystem: 'npm',
    pool: words(`0.0.1 0.9.0 1.0.0-alpha 1.0.0-beta.2 1.0.0 1.0.1 v1.0.1 1.2 1.10.0 2.0.0-rc.1 2.0.0+build 2.0.0 2.5.3
      2025.08.14`),
    probes: words(
      `0.0.0-a 0.0.0 0.5.0 1.0.0-alpha.1 1.0.0-rc.1 1.1.0 1.2.3beta 2.0.0-rc.2 2.4.0 3.0.0 9999.0.0`,
    ),
  },
  {
    scheme: 'wordpress',
    type: 'plugin',
    ecosystem: 'WordPress',
    pool: words('0.1 1.0-beta 1.0 1.0.0 1.0.1 1.2 1.10 2.0-rc1 2 2.0.0.1 3.5.7a 10.0'),
    probes: words('0 0.0.1-dev 0.9 1.0-alpha 1.0-rc1 1.0.0.1 1.5 2.0.1 3 99'),
  },
];

export type Compare = (a: string, b: string) => number;

/** The schema's IsVulnerable for entries of one package. */
export function isVulnerableByText(
  v: string,
  affected: readonly OsvAffectedJson[],
  compare: Compare,
): boolean {
  return affected.some(
    ({ versions = [], ranges = [] }) =>
      versions.some((version) => compare(v, version) === 0) ||
      // Commits are no versions: of these ranges nothing is known here.
      ranges.some((range) => range.type !== 'GIT' && isIncludedInRange(v, range, compare)),
  );
}

function isIncludedInRange(v: string, { events }: OsvRangeJson, compare: Compare): boolean {
  if (!isBeforeLimits(v, events, compare)) return false;
  return (pairsOf(events, compare) ?? [events]).some((listed) => isVulnerableBy(v, listed, compare));
}

/** Where the record lists pairs, each counts by itself: the order of events of one version is left open. */
function pairsOf(events: readonly OsvEventJson[], compare: Compare): OsvEventJson[][] | undefined {
  const ends = events.filter(({ limit }) => limit === undefined);
  const pairs = Array.from({ length: Math.ceil(ends.length / 2) }, (_, i) => ends.slice(2 * i, 2 * i + 2));
  const isPair = ([start, end]: readonly OsvEventJson[]): boolean => {
    if (start.introduced === undefined || end?.introduced !== undefined) return false;
    return end === undefined || start.introduced === '0' || compare(start.introduced, versionOf(end)) <= 0;
  };
  return pairs.every((pair) => isPair(pair)) ? pairs : undefined;
}

function isVulnerableBy(v: string, events: readonly OsvEventJson[], compare: Compare): boolean {
  let vulnerable = false;
  for (const { introduced, fixed, last_affected } of sortedEvents(events, compare)) {
    if (introduced !== undefined && (introduced === '0' || compare(v, introduced) >= 0)) vulnerable = true;
    else if (fixed !== undefined && compare(v, fixed) >= 0) vulnerable = false;
    else if (last_affected !== undefined && compare(v, last_affected) > 0) vulnerable = false;
  }
  return vulnerable;
}

function isBeforeLimits(v: string, events: readonly OsvEventJson[], compare: Compare): boolean {
  const limits = events.flatMap(({ limit }) => (limit === undefined ? [] : [limit]));
  return limits.length === 0 || limits.some((limit) => limit === '*' || compare(v, limit) < 0);
}

/**
 * By version, `introduced: "0"` first. The schema does not say what comes first of one version: here
 * `last_affected` is last, as it counts only above it, and the others keep their order.
 */
function sortedEvents(events: readonly OsvEventJson[], compare: Compare): OsvEventJson[] {
  return events
    .filter(({ limit }) => limit === undefined)
    .toSorted((a, b) => {
      const isLowest = ({ introduced }: OsvEventJson): boolean => introduced === '0';
      if (isLowest(a) || isLowest(b)) return Number(isLowest(b)) - Number(isLowest(a));
      const order = compare(versionOf(a), versionOf(b));
      return order || Number(a.last_affected !== undefined) - Number(b.last_affected !== undefined);
    });
}

function versionOf({ introduced, fixed, last_affected }: OsvEventJson): string {
  return introduced ?? fixed ?? last_affected ?? '';
}

/** Entries of one package with everything that is legal, in any order and mostly without sense. */
export function randomAffected(
  dice: Dice,
  named: OsvAffectedJson['package'],
  pool: readonly string[],
): OsvAffectedJson[] {
  return Array.from({ length: dice.whole(1, 3) }, () => ({
    package: named,
    ranges: Array.from({ length: dice.whole(0, 2) }, () => ({
      type: dice.pick(['SEMVER', 'SEMVER', 'ECOSYSTEM', 'ECOSYSTEM', 'GIT']),
      events: Array.from({ length: dice.whole(1, 6) }, () => randomEvent(dice, pool)),
    })),
    versions: Array.from({ length: dice.chance(0.4) ? dice.whole(1, 4) : 0 }, () => dice.pick(pool)),
  }));
}

function randomEvent(dice: Dice, pool: readonly string[]): OsvEventJson {
  const version = dice.pick(pool);
  const draw = dice.fraction();
  if (draw < 0.08) return { introduced: '0' };
  if (draw < 0.48) return { introduced: version };
  if (draw < 0.72) return { fixed: version };
  if (draw < 0.93) return { last_affected: version };
  return { limit: dice.chance(0.2) ? '*' : version };
}
