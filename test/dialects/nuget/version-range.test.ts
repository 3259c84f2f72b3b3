// What a range says, held against the spans by the reading of NuGet's own client.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionRangesOf } from '../../../src/dialects/nuget/version-range.ts';
import {
  holdsUpperBound,
  isUnboundedBelow,
  type Span,
  type UpperBound,
} from '../../../src/index/lookup/interval.ts';
import { compareKeys, getVersionKey, schemeFacts } from '../../../src/index/versions/version-key.ts';
import { readNugetRange, readNugetVersion } from '../../support/oracles/nuget-range.ts';
import { words } from '../../support/words.ts';

function span(from: string | null, to: string | null = null, toBound: UpperBound = 'exclusive'): Span {
  return { from, to, toBound: to === null ? null : toBound, fixedIn: null };
}

const said = (...spans: readonly Span[]) => versionRangesOf(spans, 'nuget');

test('a span is a range in the client’s notation', () => {
  assert.deepEqual(said(span('1.0', '1.2.3')), ['[1.0, 1.2.3)']);
  assert.deepEqual(said(span(null, '1.2', 'last-affected')), ['(, 1.2]']);
  assert.deepEqual(said(span('2.1')), ['[2.1, )']);
  assert.deepEqual(said(span('0', '1.2')), ['(, 1.2)']);
  assert.deepEqual(said(span('1.0', '1.0.0.0', 'inclusive')), ['[1.0]']);
  assert.deepEqual(said(span(null)), ['(, )']);
  assert.deepEqual(said(span('1.0', '1.1'), span(null)), ['(, )']);
  assert.deepEqual(said(span('1.0', '1.1'), span('1.0', '1.1')), ['[1.0, 1.1)']);
  assert.deepEqual(said(span(' 1.0.0-RC.1 ', '1.0.0+build.5')), ['[1.0.0-RC.1, 1.0.0)']);
});

test('what the client would refuse is said in its own form, or left out so that the range holds more', () => {
  assert.equal(readNugetVersion('1.0.0-01'), undefined, 'as NuGet.Client does');
  assert.deepEqual(said(span('1.0.0-beta.007', '1.0.0')), ['[1.0.0-beta.7, 1.0.0)']);
  assert.deepEqual(said(span('1.0', '1.99999999999')), ['[1.0, )']);
  assert.deepEqual(said(span('1.99999999999', '2.0')), ['(, 2.0)']);
  assert.deepEqual(said(span('1.99999999999', '1.999999999999')), ['(, )']);
  assert.deepEqual(versionRangesOf([span('1.0', '1.1')], 'semver'), ['(, )']);
});

test('an empty span and a text that no package has are no range', () => {
  assert.deepEqual(said(span('2.0', '1.0')), []);
  assert.deepEqual(said(span('1.0', '1.0.0')), []);
  assert.deepEqual(said(span('nightly', 'nightly', 'inclusive'), span('1.0', '1.1')), ['[1.0, 1.1)']);
});

const VERSIONS = words(`
  0 0.0.0-0 0.9.9.9 1.0-0 1.0-1 1.0-10 1.0-2147483647 1.0-20230101120000 1.0-a 1.0-A.1 1.0-a.b 1.0-a-b 1.0-beta 1.0-rc.2 1.0-RC.10 1.0 1.0.0.1
  1.0.1-preview 1.0.1 1.02 1.10 2 2.0.0.0-x 10.0 2147483647.0
`);

test('every pair of bounds holds the versions between them and no others', () => {
  let checked = 0;
  for (const from of [null, ...VERSIONS]) {
    for (const to of [null, ...VERSIONS]) {
      for (const toBound of to === null ? [null] : (['exclusive', 'inclusive'] as const)) {
        const read = said({ from, to, toBound, fixedIn: null }).map((text) => {
          return readNugetRange(text) ?? assert.fail(`the client refuses ${text}`);
        });
        for (const version of VERSIONS) {
          const key = getVersionKey('nuget', version);
          const order = to === null ? -1 : compareKeys(key, getVersionKey('nuget', to));
          const holds =
            (from === null ||
              isUnboundedBelow(schemeFacts('nuget'), from) ||
              compareKeys(key, getVersionKey('nuget', from)) >= 0) &&
            (order < 0 || (order === 0 && holdsUpperBound(toBound)));
          assert.equal(
            read.some((range) => range(version)),
            holds,
            `${version} in ${from} to ${to} ${toBound}`,
          );
          checked++;
        }
      }
    }
  }
  assert.ok(checked > 25_000, String(checked));
});
