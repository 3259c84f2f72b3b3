// The table of what is invented: a row for each type of product. Whatever differs between types is in a row;
// no other code asks which type it deals with.

import type { Dice, Quantiles } from './dice.ts';
import type { ProductType, VersionScheme } from './feed-record.ts';
import {
  cargoNames,
  composerNames,
  coreNames,
  gemNames,
  golangNames,
  mavenNames,
  type Naming,
  npmNames,
  nugetNames,
  pluginNames,
  pypiNames,
  themeNames,
} from './product-names.ts';
import {
  candidate,
  four,
  oddCargo,
  oddComposer,
  oddGem,
  oddMaven,
  oddNpm,
  oddNuget,
  oddPhp,
  oddPypi,
  pseudoVersion,
  three,
  two,
  type VersionStyle,
  withEpoch,
} from './version-styles.ts';
import { coreSpans, type SpanHabits, usualSpans } from './versions.ts';

type Styles = readonly (readonly [upTo: number, style: VersionStyle])[];

/** Shares are from 0 to 1. */
export interface Kind extends SpanHabits {
  readonly type: ProductType;
  /** Of all advisories; the first kind has what the others leave too. */
  readonly share: number;
  readonly mostAdvisories: number;
  readonly advisoriesPerProduct: Quantiles;
  /** One product has as many, once the feed has REAL_ADVISORIES. */
  readonly mostPerProduct: number;
  readonly namesOf: Naming;
  /** What a title calls the product. */
  readonly titleOf: (name: string) => string;
  /** The chance of each further clause of a title. */
  readonly clauses: number;
  /** The folder of the pages about it. */
  readonly section: string;
  readonly hasDetails: boolean;
  readonly ghsa: number;
  /** The share of advisories that list versions. */
  readonly exact: number;
  /** The scheme of a record that names none. */
  readonly scheme: VersionScheme;
  /** The share of products with decimal versions, and of those that change scheme between advisories. */
  readonly decimal: number;
  readonly undecided: number;
  /** A product writes in the first style whose share is above what is drawn. */
  readonly styles: Styles;
  /** The spans of one advisory in a large feed; 0 for none. */
  readonly recordSpans: number;
}

function mostly(share: number, usual: VersionStyle, odd: VersionStyle): Styles {
  return [
    [share, usual],
    [1, odd],
  ];
}

const web = {
  mostAdvisories: Infinity,
  advisoriesPerProduct: [
    [0, 1],
    [0.56, 1],
    [0.89, 5],
    [0.99, 21],
    [1, 88],
  ],
  mostPerProduct: 1,
  clauses: 0.05,
  section: 'wordpress',
  hasDetails: false,
  ghsa: 0,
  exact: 0,
  scheme: 'wordpress',
  decimal: 0.02,
  undecided: 0.003,
  styles: [
    [0.715, three],
    [0.93, two],
    [0.975, four],
    [1, oddPhp],
  ],
  recordSpans: 0,
  several: 0.002,
  spanCounts: [
    [0, 2],
    [0.8, 6],
    [1, 60],
  ],
  makeSpans: usualSpans,
  fixed: 0.82,
  endless: 0.04,
  bounded: 0.03,
  lastAffected: 0.01,
  exclusive: 0.02,
  otherStyles: [two, three, three, four],
  majorOf: (dice: Dice, lastMajor: number, age: number) =>
    Math.max(0, Math.round(lastMajor * (0.3 + 0.7 * age)) - dice.whole(0, 1)),
  beginningBelow: (major: number) => `${major - 1}.0`,
} as const;

const packages = {
  ...web,
  advisoriesPerProduct: [
    [0, 1],
    [0.62, 1],
    [0.88, 3],
    [0.991, 13],
    [1, 60],
  ],
  mostPerProduct: 20,
  titleOf: (name: string) => name,
  clauses: 0.35,
  section: 'packages',
  hasDetails: true,
  ghsa: 0.95,
  decimal: 0,
  undecided: 0,
  several: 0.1,
  spanCounts: [
    [0, 2],
    [1, 5],
  ],
  fixed: 0.75,
  endless: 0.15,
  bounded: 0.5,
  lastAffected: 0.04,
  exclusive: 0.7,
  beginningBelow: (major: number) => `${major - 1}.0.0`,
} as const;

export const KINDS: readonly [Kind, ...Kind[]] = [
  {
    ...web,
    type: 'plugin',
    share: 0, // and what the others leave
    mostPerProduct: 87,
    namesOf: pluginNames,
    titleOf: (name) => `WordPress ${name} plugin`,
    recordSpans: 102,
  },
  {
    ...web,
    type: 'theme',
    share: 0.06,
    namesOf: themeNames,
    titleOf: (name) => `WordPress ${name} theme`,
  },
  {
    ...web,
    type: 'wordpress',
    share: 0.015,
    // An absolute number, not a share: however large the feed, there is one WordPress, and lookups of it stay
    // realistic.
    mostAdvisories: 400,
    mostPerProduct: 400,
    namesOf: coreNames,
    titleOf: () => 'WordPress Core',
    decimal: 0,
    undecided: 0,
    several: 1,
    spanCounts: [
      [0, 1],
      [0.2, 1.6],
      [0.43, 4],
      [0.57, 5],
      [0.8, 12],
      [1, 26.9],
    ],
    makeSpans: coreSpans,
  },
  {
    ...packages,
    type: 'npm',
    share: 0.15,
    mostPerProduct: 594,
    namesOf: npmNames,
    exact: 0.01,
    scheme: 'semver',
    styles: mostly(0.97, three, oddNpm),
    otherStyles: [two, three, three, candidate],
  },
  {
    ...packages,
    type: 'composer',
    share: 0.01,
    namesOf: composerNames,
    scheme: 'composer',
    styles: mostly(0.8, three, oddComposer),
  },
  {
    ...packages,
    type: 'pypi',
    share: 0.012,
    namesOf: pypiNames,
    exact: 0.01,
    scheme: 'pep440',
    styles: [
      [0.7, three],
      [0.85, two],
      [0.98, oddPypi],
      [1, withEpoch],
    ],
  },
  {
    ...packages,
    type: 'golang',
    share: 0.01,
    namesOf: golangNames,
    scheme: 'golang',
    styles: mostly(0.85, three, pseudoVersion),
    otherStyles: [three, candidate, pseudoVersion],
    // All versions of a module have one major version, or the first two.
    several: 0,
    majorOf: (dice, lastMajor) => (lastMajor >= 2 ? lastMajor : dice.whole(0, 1)),
    beginningBelow: (major) => `${major}.0.0`,
  },
  {
    ...packages,
    type: 'gem',
    share: 0.007,
    namesOf: gemNames,
    scheme: 'gem',
    styles: mostly(0.85, three, oddGem),
  },
  {
    ...packages,
    type: 'cargo',
    share: 0.007,
    namesOf: cargoNames,
    scheme: 'semver',
    styles: mostly(0.9, three, oddCargo),
    otherStyles: [three, candidate],
  },
  {
    ...packages,
    type: 'maven',
    share: 0.012,
    namesOf: mavenNames,
    scheme: 'maven',
    styles: mostly(0.75, three, oddMaven),
  },
  {
    ...packages,
    type: 'nuget',
    share: 0.007,
    namesOf: nugetNames,
    scheme: 'nuget',
    styles: [
      [0.7, three],
      [0.85, four],
      [1, oddNuget],
    ],
  },
];
