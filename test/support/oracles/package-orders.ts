// The slow twins of the package ecosystems' keys, each written from its tool's own description: a regular
// expression that says what a version is, and a comparison of two parsed versions. Maven's, which needs
// neither, is in maven-order.ts.

import semver from 'semver';
import { compareMaven, isMavenVersion } from './maven-order.ts';
import { versionCompare } from './php-order.ts';

export interface OrderTwin {
  readonly isVersion: (text: string) => boolean;
  /** Sign of a compared with b. Requires: versions. */
  readonly compare: (a: string, b: string) => number;
}

function twinOf<Parsed>(
  parse: (text: string) => Parsed | undefined,
  compare: (a: Parsed, b: Parsed) => number,
): OrderTwin {
  const known = new Map<string, Parsed | undefined>();
  const parsed = (text: string): Parsed | undefined => {
    if (!known.has(text)) known.set(text, parse(text));
    return known.get(text);
  };
  return {
    isVersion: (text) => parsed(text) !== undefined,
    compare: (a, b) => Math.sign(compare(parsed(a)!, parsed(b)!)),
  };
}

function order<Value extends bigint | number | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares item by item; `missing` stands for those of the shorter list. */
function orderLists<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  missing: Item,
): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const found = compare(a[i] ?? missing, b[i] ?? missing);
    if (found !== 0) return found;
  }
  return 0;
}

// PEP 440, appendix B; the key of its reference implementation.
const PEP440 =
  /^[ \t-\r]*v?(?:([0-9]+)!)?([0-9]+(?:\.[0-9]+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?([0-9]+)?)?(-[0-9]+|[-_.]?(?:post|rev|r)[-_.]?[0-9]*)?(?:[-_.]?(dev)[-_.]?([0-9]+)?)?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?[ \t-\r]*$/i;
const PHASES: Readonly<Record<string, bigint>> = { a: 1n, b: 2n, c: 3n, r: 3n, p: 3n };
const NEVER = -1n;
const ALWAYS = 10n ** 300n;

interface Pep440 {
  readonly release: readonly bigint[];
  /** Epoch; then, after the release: phase, its number, post, dev. */
  readonly epoch: bigint;
  readonly tail: readonly bigint[];
  readonly local: readonly (bigint | string)[];
}

function parsePep440(text: string): Pep440 | undefined {
  const match = PEP440.exec(text);
  if (match === null) return undefined;
  const [, epoch, release, pre, preNumber, post, dev, devNumber, local = ''] = match;
  const isDevOnly = pre === undefined && post === undefined && dev !== undefined;
  const phase = pre === undefined ? (isDevOnly ? 0n : 4n) : PHASES[pre[0].toLowerCase()];
  return {
    epoch: BigInt(epoch ?? 0),
    release: release.split('.').map(BigInt),
    tail: [
      phase,
      BigInt(preNumber ?? 0),
      post === undefined ? NEVER : BigInt(/[0-9]*$/.exec(post)?.[0] ?? 0),
      dev === undefined ? ALWAYS : BigInt(devNumber ?? 0),
    ],
    local: local
      .toLowerCase()
      .split(/[-_.]/)
      .filter((part) => part !== '')
      .map((part) => (/^\d+$/.test(part) ? BigInt(part) : part)),
  };
}

const pep440 = twinOf(
  parsePep440,
  (a, b) =>
    order(a.epoch, b.epoch) ||
    orderLists(a.release, b.release, order<bigint>, 0n) ||
    orderLists(a.tail, b.tail, order<bigint>, 0n) ||
    orderLists<bigint | string | undefined>(a.local, b.local, compareLocals, undefined),
);

/** Nothing below words, words below numbers. */
function compareLocals(a: bigint | string | undefined, b: bigint | string | undefined): number {
  const rank = (part: typeof a): number => ['undefined', 'string', 'bigint'].indexOf(typeof part);
  return rank(a) - rank(b) || (a === undefined || b === undefined || a === b ? 0 : a < b ? -1 : 1);
}

// composer/semver 3.4: VersionParser::normalize. The lookahead stands for PHP's possessive `*+`.
const MODIFIER =
  '[._-]?(?:(stable|beta|b|RC|alpha|a|patch|pl|p)(?=(?<digits>(?:[.-]?\\d+)*))\\k<digits>)?([.-]?dev)?$';
const PLAIN = new RegExp(`^v?(\\d{1,5})(\\.\\d+)?(\\.\\d+)?(\\.\\d+)?${MODIFIER}`, 'i');
const DATE = new RegExp(`^v?(\\d{4}(?:[.:-]?\\d{2}){1,6}(?:[.:-]?\\d{1,3}){0,2})${MODIFIER}`, 'i');
const BRANCH = /^v?(\d+)(\.(?:\d+|[xX*]))?(\.(?:\d+|[xX*]))?(\.(?:\d+|[xX*]))?$/i;
const STABILITIES: Readonly<Record<string, string>> = {
  a: 'alpha',
  b: 'beta',
  p: 'patch',
  pl: 'patch',
  rc: 'RC',
};

export function normaliseComposer(text: string): string | undefined {
  let version = text.replace(/^[ \t\n\v\r\0]+/, '').replace(/[ \t\n\v\r\0]+$/, '');
  version = /^([^,\s]+) +as +([^,\s]+)$/.exec(version)?.[1] ?? version;
  version = version.replace(/@(?:stable|RC|beta|alpha|dev)$/i, '');
  version = /^([^,\s+]+)\+[^\s]+$/.exec(version)?.[1] ?? version;
  const plain = PLAIN.exec(version);
  if (plain !== null) {
    const [, major, minor = '.0', patch = '.0', fourth = '.0', word, digits, dev] = plain;
    return withModifier(major + minor + patch + fourth, word, digits, dev);
  }
  const date = DATE.exec(version);
  if (date !== null) return withModifier(date[1].replace(/\D/g, '.'), date[2], date[3], date[4]);
  const branch = BRANCH.exec((/^(.*?)[.-]?dev$/i.exec(version)?.[1] ?? '').trim());
  if (branch === null) return undefined;
  const parts = [branch[1], branch[2] ?? '.x', branch[3] ?? '.x', branch[4] ?? '.x'];
  return `${parts.join('').replace(/[xX*]/g, '9999999')}-dev`;
}

function withModifier(numbers: string, word = '', digits = '', dev = ''): string {
  if (word === 'stable') return numbers;
  const stability = STABILITIES[word.toLowerCase()] ?? word.toLowerCase();
  const words = word === '' ? '' : `-${stability}${digits.replace(/^[.-]+/, '')}`;
  return numbers + words + (dev === '' ? '' : '-dev');
}

const composer = twinOf(
  (text) => normaliseComposer(text)?.toLowerCase(),
  (a, b) => versionCompare(a, b),
);

// SemVer 2 as node-semver reads it, with Go's short forms and tags.
function parseGolang(text: string): semver.SemVer | undefined {
  const tag = /^(?:go)?(\d+)(\.\d+)?(\.\d+)?(?:(beta|rc)(\d+))?$/.exec(text);
  const short = /^v?(\d+)(\.\d+)?$/.exec(text);
  if (tag !== null) {
    const [, major, minor = '.0', patch = '.0', word, number] = tag;
    return strict(major + minor + patch + (word === undefined ? '' : `-${word}.${BigInt(number)}`));
  }
  if (short !== null) return strict(`${short[1]}${short[2] ?? '.0'}.0`);
  return /^v?\d[^\s]*$/.test(text) ? strict(text) : undefined;
}

const strict = (text: string): semver.SemVer | undefined => semver.parse(text) ?? undefined;

const golang = twinOf(parseGolang, (a, b) => a.compare(b));

// Gem::Version: ANCHORED_VERSION_PATTERN, canonical_segments and <=>. A blank text is not a version here.
const GEM = /^\s*[0-9]+(?:\.[0-9a-zA-Z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;

function parseGem(text: string): Array<bigint | string> | undefined {
  if (!GEM.test(text) || /[^\0-\x7f]/.test(text)) return undefined;
  const found = text.replaceAll('-', '.pre.').match(/[0-9]+|[a-z]+/gi) ?? [];
  const segments = found.map((each) => (/^[0-9]/.test(each) ? BigInt(each) : each));
  const first = segments.findIndex((each) => typeof each === 'string');
  const split = first < 0 ? segments.length : first;
  return [...withoutZeros(segments.slice(0, split)), ...withoutZeros(segments.slice(split))];
}

function withoutZeros(segments: ReadonlyArray<bigint | string>): Array<bigint | string> {
  const last = segments.findLastIndex((each) => each !== 0n);
  return segments.slice(0, last + 1);
}

const gem = twinOf(parseGem, (a, b) =>
  orderLists<bigint | string>(
    a,
    b,
    (x, y) => {
      if (typeof x === 'string') return typeof y === 'string' ? order(x, y) : -1;
      return typeof y === 'string' ? 1 : order(x, y);
    },
    0n,
  ),
);

// NuGet.Versioning, with numbers of any size: up to four, then SemVer 2's labels in any case.
const NUGET =
  /^[ \t-\r]*(\d+(?:\.\d+){0,3})(?:-([0-9a-z-]+(?:\.[0-9a-z-]+)*))?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?[ \t-\r]*$/i;

function parseNuget(text: string): { numbers: bigint[]; labels: string[] | undefined } | undefined {
  const match = /[^\0-\x7f]/.test(text) ? null : NUGET.exec(text);
  if (match === null) return undefined;
  return { numbers: match[1].split('.').map(BigInt), labels: match[2]?.toLowerCase().split('.') };
}

const nuget = twinOf(parseNuget, (a, b) => {
  const found = orderLists(a.numbers, b.numbers, order<bigint>, 0n);
  if (found !== 0) return found;
  if (a.labels === undefined || b.labels === undefined) {
    return Number(a.labels === undefined) - Number(b.labels === undefined);
  }
  return orderLists(a.labels, b.labels, orderLabels, '');
});

function orderLabels(a: string, b: string): number {
  if (a === '' || b === '') return order(a.length, b.length);
  const [isA, isB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isA && isB) return order(BigInt(a), BigInt(b));
  return isA === isB ? order(a, b) : isA ? -1 : 1;
}

export const PACKAGE_TWINS = {
  pep440,
  composer,
  golang,
  gem,
  maven: { isVersion: isMavenVersion, compare: compareMaven },
  nuget,
} as const satisfies Readonly<Record<string, OrderTwin>>;
