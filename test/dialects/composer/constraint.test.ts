// What a constraint says, held against the spans by the reading of composer/semver.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constraintOf } from '../../../src/dialects/composer/constraint.ts';
import { holdsUpperBound, type Span, type UpperBound } from '../../../src/index/lookup/interval.ts';
import { compareKeys, getVersionKey } from '../../../src/index/versions/version-key.ts';
import { readConstraint } from '../../support/oracles/composer-constraint.ts';
import { words } from '../../support/words.ts';

function span(from: string | null, to: string | null = null, toBound: UpperBound = 'exclusive'): Span {
  return { from, to, toBound: to === null ? null : toBound, fixedIn: null };
}

const said = (...spans: readonly Span[]) => constraintOf(spans, 'composer');
const exactly = (text: string) => ({ text, isWidened: false });

test('bounds are written so that a bare version means itself and not its -dev', () => {
  assert.deepEqual(said(span('1.0', '1.2')), exactly('>=1.0-stable,<1.2-stable'));
  assert.deepEqual(said(span('0', '1.2')), exactly('<1.2-stable'));
  assert.deepEqual(said(span(null, '1.2', 'last-affected')), exactly('<=1.2'));
  assert.deepEqual(said(span('v2.1')), exactly('>=2.1-stable'));
  assert.deepEqual(said(span(null)), exactly('*'));
  assert.deepEqual(said(span('1.0.0_beta.3', '1.0.0b4+meta')), exactly('>=1.0.0-beta.3,<1.0.0-b4'));
  assert.deepEqual(said(span('1.0-dev', '1.0.0-stable')), exactly('>=1.0-dev,<1.0.0-stable'));
  assert.deepEqual(said(span('2010-01-02', '1.2.x-dev')), exactly('>=2010-01-02-stable,<1.2.x-dev'));
});

test('a release candidate is named itself, since composer/semver would read its -dev', () => {
  assert.deepEqual(said(span('1.0-RC1', '1.0-RC2')), exactly('>1.0-RC1,<=1.0-RC2,!=1.0-RC2|==1.0-RC1'));
  assert.deepEqual(said(span(null, '1.0-rc2-dev')), exactly('<1.0-rc2-dev'));
});

test('several spans and exact versions are branches, each once', () => {
  assert.deepEqual(
    said(span('2', '2.1'), span('1', '1.2'), span('2', '2.1')),
    exactly('>=2-stable,<2.1-stable|>=1-stable,<1.2-stable'),
  );
  assert.deepEqual(said(span('1.0', '1.0', 'inclusive')), exactly('>=1.0-stable,<=1.0'));
  assert.deepEqual(said(span('dev-main', 'dev-main', 'inclusive')), exactly('==dev-main'));
  assert.deepEqual(said(span('master', 'master', 'inclusive')), exactly('==dev-master'));
  assert.deepEqual(said(span('1.0', '1.1'), span(null)), exactly('*'));
});

test('what cannot be said shows more', () => {
  const every = { text: '*', isWidened: true };
  assert.deepEqual(said(span('1.0', '1.1'), span('no|version', 'no|version', 'inclusive')), every);
  assert.deepEqual(said(span('dev-a b', 'dev-a b', 'inclusive')), every);
  assert.deepEqual(constraintOf([span('1.0', '1.1')], 'wordpress'), every);
  assert.deepEqual(said(span('1.0', '2010-01-02-beta')), { text: '>=1.0-stable', isWidened: true });
  assert.deepEqual(said(span('1.0-Stable', '1.1')), { text: '<1.1-stable', isWidened: true });
});

const VERSIONS = words(`
  0.9 1.0-dev 1.0-alpha1 1.0-beta1-dev 1.0-beta1 1.0-beta.2 1.0-RC1-dev 1.0-RC1 1.0-RC2 1.0 1.0.0.0 v1.0.1 1.0-p1 1.0-patch2
  1.1-RC1 1.1.x-dev 1.2.3.4 2.0.0-beta10 2.0 10.0 2010-01-02 20100103
`);

test('every pair of bounds holds the versions between them and no others', () => {
  let checked = 0;
  const order = (a: string, b: string): number =>
    compareKeys(getVersionKey('composer', a), getVersionKey('composer', b));
  for (const from of [null, ...VERSIONS]) {
    for (const to of [null, ...VERSIONS]) {
      for (const toBound of ['exclusive', 'last-affected'] as const) {
        const isIn = (version: string): boolean =>
          (from === null || order(version, from) >= 0) &&
          (to === null || (holdsUpperBound(toBound) ? order(version, to) <= 0 : order(version, to) < 0));
        // A span that holds no version is in no snapshot.
        if (from !== null && !isIn(from)) continue;
        const { text, isWidened } = said(span(from, to, toBound));
        assert.equal(isWidened, false, text);
        const holds = readConstraint(text);
        for (const version of VERSIONS) assert.equal(holds(version), isIn(version), `${version} in ${text}`);
        checked++;
      }
    }
  }
  assert.ok(checked > VERSIONS.length ** 2 / 2);
});

test('a long text is read in a moment', () => {
  const long = `1.0-beta${'1'.repeat(240)}!`;
  assert.equal(said(span(null, long)).isWidened, true);
});
