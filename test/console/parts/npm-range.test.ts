import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import semver from 'semver';
import { isMajorJump, mightInclude } from '../../../src/console/parts/npm-range.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';
import { phrases } from '../../support/words.ts';

test('common ranges are told apart from a version outside of them', () => {
  const outside = [
    ['5.7.1', '^7.3.5'],
    ['5.7.1', '^5.7.2'],
    ['5.7.1', '7.8.6'],
    ['5.7.1', '~5.6.0'],
    ['5.7.1', '4.x || 6 || ~> 7.1'],
    ['5.7.1', 'npm:semver@7'],
    ['5.7.1', '>=5.8'],
    ['5.7.1', '>= 4 < 5'],
    ['0.2.3', '^0.3.0'],
    ['0.0.3', '^0.0.2'],
    ['1.0.0', '^0'],
  ] as const;
  for (const [version, range] of outside) assert.equal(mightInclude(range, version), false, range);
  for (const range of [
    '',
    ...phrases('* | latest | ^5.0.3 | 5 | >=4 | 4 - 6 | npm:semver@^5 | npm:semver | file:../x'),
  ])
    assert.equal(mightInclude(range, '5.7.1'), true, range);
});

const number = fc.nat(3);
const release = fc.tuple(number, number, number).map((parts) => parts.join('.'));
const label = fc.constantFrom('', '-rc.1', '-0');
const partial = fc.oneof(
  release,
  fc.tuple(release, label).map((parts) => parts.join('')),
  fc.tuple(number, fc.constantFrom('', '.x', '.*', '.1', '.2.x')).map((parts) => parts.join('')),
);
const comparator = fc
  .tuple(fc.constantFrom('', '^', '~', '~>', '>', '>=', '<', '<=', '=', 'v', '> ', '^ '), partial)
  .map((parts) => parts.join(''));
const range = fc.oneof(
  fc.array(comparator, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(' ')),
  fc.array(comparator, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' || ')),
  fc.tuple(partial, partial).map((parts) => parts.join(' - ')),
);

test('no range that node-semver takes for including a version is denied', (t) => {
  const seed = printedSeed(t);
  fc.assert(
    fc.property(range, release, label, (text, numbers, end) => {
      const version = numbers + end;
      fc.pre(semver.validRange(text) !== null && semver.intersects(text, version));
      assert.ok(mightInclude(text, version), `${text} includes ${version}`);
    }),
    { seed, numRuns: volume(5_000), maxSkipsPerRun: 1_000 },
  );
});

test('a jump is major where `^` does not allow it', () => {
  assert.deepEqual(
    [
      ['1.2.3', '1.9.0'],
      ['1.2.3', '2.0.0'],
      ['0.2.3', '0.2.9'],
      ['0.2.3', '0.3.0'],
      ['0.2.3', '1.0.0'],
      ['text', '2.0.0'],
    ].map(([from, to]) => isMajorJump(from, to)),
    [false, true, false, true, true, false],
  );
});
