// Feeds and lookups drawn at random for the tests that compare the index with a slow twin: few distinct
// bounds, so that spans touch, nest and repeat, and every scheme.

import semver from 'semver';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import type { Dice } from '../../../src/generator/dice.ts';
import type { Span, UpperBound } from '../../../src/index/lookup/interval.ts';
import { productTypeFacts } from '../../../src/index/product-type.ts';
import { VERSION_SCHEMES, type VersionScheme } from '../../../src/index/versions/version-key.ts';
import { compare, inFull, type Lookup } from '../oracles/linear-scan.ts';
import { coreAdvisory, coreProduct, coreSpan } from '../snapshots/generation.ts';

const BOUNDS: readonly (UpperBound | null)[] = [null, 'exclusive', 'inclusive', 'last-affected'];

export const DRAWN_PRODUCTS = [
  coreProduct('plugin', 'gallery'),
  coreProduct('theme', 'gallery'),
  coreProduct('npm', 'gallery'),
  coreProduct('npm', '@scope/gallery'),
  coreProduct('wordpress', 'wordpress'),
];

/** What may follow three numbers in a version of a package ecosystem's scheme. */
const TAILS: Readonly<Partial<Record<VersionScheme, readonly string[]>>> = {
  pep440: ['', '.0', 'rc1', '.dev2', '.post1', 'a1.dev1', '+local'],
  composer: ['', '.0', '-beta2', 'RC1', '-dev', '-p1', '+b'],
  golang: ['', '-rc.1', '-0', '-0.20240101000000-abcdefabcdef', '+incompatible'],
  gem: ['', '.0', '.rc1', '.pre', '-1', '.0.a'],
  maven: ['', '.0', '-beta-2', '.Final', '-SNAPSHOT', '-M1', '.RC1', '-1', '.x'],
  nuget: ['', '.0', '-beta', '-rc.1', '-BETA', '+b'],
};

/** From few numbers, so that bounds coincide, and with everything else that the scheme knows. */
function drawVersion(dice: Dice, scheme: VersionScheme): string {
  const part = (): number => (dice.chance(0.1) ? dice.whole(8, 300) : dice.whole(0, 3));
  const tails = TAILS[scheme];
  if (tails !== undefined) return `${part()}.${part()}.${part()}${dice.pick(tails)}`;
  if (scheme === 'semver') {
    const core = `${part()}.${part()}.${part()}`;
    if (dice.chance(0.7)) return core;
    const forms = [
      `${part()}`,
      `${part()}.${part()}`,
      `${core}-${dice.pick(['0', '1', 'rc.1', 'rc.1.1', 'beta', 'RC'])}`,
    ];
    return dice.pick([...forms, `v${core}`, `${core}+b${part()}`, `${core}-rc.1+b`]);
  }
  const parts = Array.from({ length: dice.whole(1, 4) }, part).join('.');
  return dice.chance(0.75)
    ? parts
    : parts + dice.pick(['rc1', '-beta', 'pl1', '-dev', ' beta 2', '.0', 'b', '#', '.05']);
}

/** Close to a version: itself, its immediate neighbours, and its neighbours part by part. */
export function near(dice: Dice, scheme: VersionScheme, version: string): string {
  if (dice.chance(0.3)) return version;
  const tails = TAILS[scheme];
  if (tails !== undefined) {
    const [first, second, third] = version.split(/[^0-9]/);
    const next = dice.pick([third, String(Number(third) + 1)]);
    return `${first}.${second}.${next}${dice.pick(tails)}`;
  }
  if (scheme !== 'semver') {
    return version + dice.pick(['dev', 'alpha', 'rc', '#', 'pl', '.0', '.1', 'pl9', '.0dev']);
  }
  const { major, minor, patch, prerelease } = semver.parse(inFull(version), { loose: true })!;
  const core = `${major}.${minor}.${patch}`;
  if (prerelease.length > 0 && dice.chance(0.5)) {
    return dice.pick([`${core}-0`, core, `${core}-${prerelease.join('.')}.0`, `${core}-${prerelease[0]}`]);
  }
  return dice.pick([
    `${core}-0`,
    `${core}-zz`,
    `${major}.${minor}.${patch + 1}-0`,
    `${major}.${minor}.${patch + 1}`,
    `${major}.${minor + 1}.0`,
    `${major + 1}`,
    `${major}.${minor}.${Math.max(0, patch - 1)}`,
    `${core}+build`,
  ]);
}

function drawSpan(dice: Dice, scheme: VersionScheme, known: string[]): Span {
  // Half the bounds are ones already used, so that spans touch, nest and repeat.
  const bound = (): string => {
    const version = known.length > 0 && dice.chance(0.5) ? dice.pick(known) : drawVersion(dice, scheme);
    known.push(version);
    return version;
  };
  // Some fixes lie inside a span of their own advisory, some are not a version.
  const fix = dice.chance(0.6) ? (dice.chance(0.3) ? bound() : `fix ${dice.whole(1, 99)}`) : null;
  let from = dice.chance(0.35) ? null : bound();
  let to = dice.chance(0.15) ? null : from !== null && dice.chance(0.1) ? from : bound();
  if (from !== null && to !== null && compare(scheme, from, to) > 0) [from, to] = [to, from];
  let toBound = dice.pick(BOUNDS);
  if (from !== null && to !== null && compare(scheme, from, to) === 0 && toBound === 'exclusive') {
    toBound = 'inclusive';
  }
  return coreSpan(from, to, to === null ? null : toBound, fix);
}

export interface DrawnFeed {
  readonly advisories: readonly Advisory[];
  readonly known: readonly { readonly scheme: VersionScheme; readonly version: string }[];
}

/** Advisories about one or two products, withdrawn ones among them, and the bounds that they use. */
export function drawFeed(dice: Dice): DrawnFeed {
  const count = dice.chance(0.1) ? dice.whole(30, 60) : dice.whole(1, 10);
  const products = Array.from({ length: dice.whole(1, 2) }, () => dice.pick(DRAWN_PRODUCTS));
  const isMixed = dice.chance(0.3);
  const known = Object.fromEntries(
    VERSION_SCHEMES.map((scheme): readonly [string, string[]] => [scheme, []]),
  ) as Record<VersionScheme, string[]>; // one for each
  let id = 0;
  const advisories = Array.from({ length: count }, () => {
    const product = dice.pick(products);
    const { scheme, allowsOtherSchemes } = productTypeFacts(product.type);
    const versionScheme = allowsOtherSchemes && isMixed ? dice.pick(VERSION_SCHEMES) : scheme;
    const spanCount = dice.chance(0.6) ? 1 : dice.chance(0.9) ? dice.whole(2, 5) : dice.whole(6, 25);
    id += dice.whole(1, 3);
    return coreAdvisory(id, {
      product,
      versionScheme,
      withdrawnAt: dice.chance(0.1) ? 1_700_000_000 : null,
      spans: Array.from({ length: spanCount }, () => drawSpan(dice, versionScheme, known[versionScheme])),
    });
  });
  // The order of a feed has no meaning.
  if (dice.chance(0.5)) advisories.reverse();
  const versions = VERSION_SCHEMES.flatMap((scheme) => known[scheme].map((version) => ({ scheme, version })));
  return { advisories, known: versions };
}

/** Mostly at a bound of the feed or beside one; now and then at what is not a version. */
export function drawLookup(dice: Dice, { advisories, known }: DrawnFeed): Lookup {
  const product = dice.chance(0.02) ? dice.pick(DRAWN_PRODUCTS) : dice.pick(advisories).product;
  const kind = dice.fraction();
  if (kind < 0.75 && known.length > 0) {
    const { scheme, version } = dice.pick(known);
    return { product, version: near(dice, scheme, version) };
  }
  if (kind < 0.95) return { product, version: drawVersion(dice, dice.pick(VERSION_SCHEMES)) };
  return {
    product,
    version: dice.pick(['', '-', '0', '999999', 'latest', '1.x', '0.0.0-0', '^1.0.0', '1.2.3.4']),
  };
}
