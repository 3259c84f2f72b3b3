// How products write their versions. Whatever the style, a version is above the major version before it, and
// below the one whose last number is higher by one.

import type { Dice, Quantiles } from './dice.ts';

/** Draws a version of a major version. */
export type VersionStyle = (dice: Dice, major: number) => string;

const MINORS: Quantiles = [
  [0, 1],
  [0.7, 9],
  [1, 60],
];

/** A number that is not the last one, which is one more. */
function part(dice: Dice): number {
  return Math.floor(dice.draw(MINORS)) - 1;
}

function twoDigits(dice: Dice, min: number, max: number): string {
  return String(dice.whole(min, max)).padStart(2, '0');
}

export const two: VersionStyle = (dice, major) => `${major}.${part(dice) + 1}`;
export const three: VersionStyle = (dice, major) => `${major}.${part(dice)}.${part(dice) + 1}`;
export const four: VersionStyle = (dice, major) => `${major}.${part(dice)}.${part(dice)}.${part(dice) + 1}`;

/** One of the styles for each version. */
function mixed(...styles: readonly VersionStyle[]): VersionStyle {
  return (dice, major) => dice.pick(styles)(dice, major);
}

/** Three numbers, then one of the words and a number. */
function marked(...words: readonly string[]): VersionStyle {
  return (dice, major) => `${three(dice, major)}${dice.pick(words)}${part(dice) + 1}`;
}

const withV: VersionStyle = (dice, major) => `v${three(dice, major)}`;
const nextAlone: VersionStyle = (_, major) => `${major + 1}`;

export const oddPhp = mixed(
  (dice, major) => `${major}.${part(dice)}${dice.pick(['a', 'b', 'c'])}`,
  (dice, major) => `${two(dice, major)}-beta${part(dice) + 1}`,
  (dice, major) => `${two(dice, major)} beta ${part(dice) + 1}`,
  marked('-RC'),
  withV,
  (dice) => `${dice.whole(2012, 2025)}${twoDigits(dice, 1, 12)}${twoDigits(dice, 1, 28)}`,
  (dice) => `${dice.whole(2012, 2025)}.${twoDigits(dice, 1, 12)}.${twoDigits(dice, 1, 28)}`,
  (dice, major) => `${four(dice, major)}.${part(dice) + 1}`,
  (dice, major) => `${four(dice, major)}.${part(dice)}.${part(dice)}.${part(dice) + 1}`,
  nextAlone,
);

export const candidate = marked('-rc.');
export const oddNpm = mixed(
  marked('-beta.'),
  (dice, major) => `${three(dice, major)}+build`,
  (dice, major) => `${two(dice, major)}.0-alpha${dice.whole(0, 8)}`,
  nextAlone,
  withV,
);
export const oddCargo = marked('-alpha.', '-beta.');
export const oddComposer = mixed(withV, marked('-beta', '-RC', '-alpha', '-p'));
export const oddPypi = mixed(
  marked('a', 'b', 'rc', '.post', '.dev'),
  (dice, major) => `${two(dice, major)}rc${part(dice) + 1}.dev${part(dice) + 1}`,
);
export const withEpoch: VersionStyle = (dice, major) => `1!${three(dice, major)}`;
export const oddGem = marked('.pre', '.rc', '.beta.');
export const oddMaven = mixed(
  (dice, major) => `${three(dice, major)}${dice.pick(['.Final', '.RELEASE', '-jre'])}`,
  marked('-RC', '-M', '-beta-', '.SP'),
);
export const oddNuget = marked('-preview.', '-beta.', '-rc.');

/** Of a commit without a tag. Its hash has no digits: the last number is the second of the commit. */
export const pseudoVersion: VersionStyle = (dice, major) => {
  const day = `${dice.whole(2016, 2025)}${twoDigits(dice, 1, 12)}${twoDigits(dice, 1, 28)}`;
  const time = `${twoDigits(dice, 0, 23)}${twoDigits(dice, 0, 59)}${twoDigits(dice, 0, 58)}`;
  const hash = Array.from({ length: 12 }, () => dice.pick([...'abcdef'])).join('');
  return `${major === 0 ? '0.0.0-' : `${three(dice, major)}-0.`}${day}${time}-${hash}`;
};
