// What the tests of the package ecosystems' schemes have in common: the key against the slow twin, and
// against recorded pairs of versions.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { compareKeys, getVersionKey, versionKey } from '../../../src/index/versions/version-key.ts';
import { volume } from '../volume.ts';
import { PACKAGE_TWINS } from './package-orders.ts';

export type PackageScheme = keyof typeof PACKAGE_TWINS;

const DATA = '../shared/data/ecosystems';

/** Options for a test that reads recorded pairs. */
export const pairsOptions: { readonly skip: string | false } = {
  skip: existsSync(DATA) ? false : `${DATA} is absent`,
};

export function orderOf(scheme: PackageScheme): (a: string, b: string) => number {
  return (a, b) => compareKeys(getVersionKey(scheme, a), getVersionKey(scheme, b));
}

/** Texts made of these pieces. */
export function textsOf(pieces: readonly string[], maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength })
    .map((parts) => parts.join(''))
    .filter((text) => Buffer.byteLength(text) <= 256);
}

/** Texts have a key exactly if they are versions of the twin; those that are compare like the twin. */
export function assertLikeTwin(scheme: PackageScheme, text: fc.Arbitrary<string>): void {
  const twin = PACKAGE_TWINS[scheme];
  const compare = orderOf(scheme);
  fc.assert(
    fc.property(text, (each) => {
      assert.equal(versionKey(scheme, each) !== undefined, twin.isVersion(each), JSON.stringify(each));
    }),
    { numRuns: volume(10_000) },
  );
  const version = text.filter(twin.isVersion);
  fc.assert(
    fc.property(version, version, (a, b) => {
      assert.equal(compare(a, b), twin.compare(a, b), JSON.stringify([a, b]));
    }),
    { numRuns: volume(5_000) },
  );
}

/** Of recorded pairs, those whose answer is another one. */
export function differentPairs(scheme: PackageScheme, file: string): { count: number; different: string[] } {
  const compare = orderOf(scheme);
  const different: string[] = [];
  let count = 0;
  for (const line of gunzipSync(readFileSync(`${DATA}/${file}`))
    .toString('utf8')
    .split('\n')) {
    if (line === '') continue;
    const [a, b, sign] = line.split('\t');
    count++;
    if (compare(a, b) !== Number(sign) || compare(b, a) !== 0 - Number(sign)) different.push(`${a} ${b}`);
  }
  return { count, different };
}
