import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFixes, readAffected } from '../../../src/importers/mirror/affected.ts';
import type { FeedSpan } from '../../../src/importers/record/feed-schema.ts';
import type { VersionScheme } from '../../../src/index/versions/version-key.ts';
import { pluck } from '../../support/pluck.ts';

/** Each span as `from to bound`, then bad parts and warnings. */
function read(text: string, scheme: VersionScheme = 'wordpress'): readonly string[] {
  const { spans, bad, warnings } = readAffected(text, scheme);
  const shown = spans.map(
    ({ from_version, to_version, to_bound }) => `${from_version} ${to_version} ${to_bound}`,
  );
  return [
    ...shown,
    ...bad.map((sentence) => `bad: ${sentence}`),
    ...warnings.map((sentence) => `warning: ${sentence}`),
  ];
}

test('the text of affected versions is understood as this server writes it', () => {
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['*', 'null null null'],
    ['<= 1.5', 'null 1.5 inclusive'],
    ['< 1.5', 'null 1.5 exclusive'],
    ['>= 1.5', '1.5 null null'],
    ['>= 1.0 <= 1.5', '1.0 1.5 inclusive'],
    ['>= 1.0 < 1.5', '1.0 1.5 exclusive'],
    ['1.5', '1.5 1.5 inclusive'],
    ['1.0-beta', '1.0-beta 1.0-beta inclusive'],
    ['1.6.5-6497609', '1.6.5-6497609 1.6.5-6497609 inclusive'],
    ['2020-01-02', '2020-01-02 2020-01-02 inclusive'],
    ['>= 1.0 beta 2 <= 1.5 (final)', '1.0 beta 2 1.5 (final) inclusive'],
    ['< 1.2 || 2.0 || >= 3.0 <= 3.1', 'null 1.2 exclusive', '2.0 2.0 inclusive', '3.0 3.1 inclusive'],
  ];
  for (const [text, ...expected] of cases) assert.deepEqual(read(text), expected, text);
});

test('the text of affected versions is understood as others write it', () => {
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['<=1.5', 'null 1.5 inclusive'],
    ['>=1.0 <1.5', '1.0 1.5 exclusive'],
    ['1.0 - 2.0', '1.0 2.0 inclusive'],
    ['1.0, 1.1', '1.0 1.0 inclusive', '1.1 1.1 inclusive'],
    ['1.0,1.1, <= 0.5', '1.0 1.0 inclusive', '1.1 1.1 inclusive', 'null 0.5 inclusive'],
    ['>= 1.0, < 1.5', '1.0 1.5 exclusive'],
    ['= 1.5', '1.5 1.5 inclusive'],
    ['1.0-2.0', '1.0 2.0 inclusive', 'warning: "1.0-2.0" was read as the versions from 1.0 to 2.0.'],
    [
      '> 1.0 <= 2.0',
      '1.0 2.0 inclusive',
      'warning: "> 1.0 <= 2.0" begins after 1.0, but a span includes its first version; 1.0 is reported as affected too.',
    ],
  ];
  for (const [text, ...expected] of cases) assert.deepEqual(read(text), expected, text);
});

test('the text of affected versions takes two numbers with a hyphen for one version where that is one', () => {
  assert.deepEqual(read('1.0.0-2.0.0', 'semver'), ['1.0.0-2.0.0 1.0.0-2.0.0 inclusive']);
  assert.deepEqual(read('1.0-2.0', 'semver').slice(0, 1), ['1.0 2.0 inclusive']);
  assert.deepEqual(read('2.0-1.0'), ['2.0-1.0 2.0-1.0 inclusive']);
});

test('the text of affected versions keeps its good parts and names the others', () => {
  assert.deepEqual(read('<= 1.0 || >= 3.0 <= 2.0 || 4.0'), [
    'null 1.0 inclusive',
    '4.0 4.0 inclusive',
    'bad: ">= 3.0 <= 2.0": the span is empty (from_version 3.0 is above to_version 2.0).',
  ]);
  assert.deepEqual(read(''), ['bad: "" names no version.']);
  assert.deepEqual(read('1.0, , 2.0'), ['bad: "1.0, , 2.0" has an empty entry in its list.']);
  assert.deepEqual(read('>= 1 <= 2 <= 3'), ['bad: ">= 1 <= 2 <= 3" has more than one upper end.']);
  assert.match(read('1.x')[0], /^bad: "1.x": "1.x" is an expression, not a version/);
  assert.match(read('<= 2.0 >= 1.0', 'semver')[0], /^bad: .* is not a semver version\.$/);
  assert.match(read('all', 'semver')[0], /^bad: "all": "all" is not a semver version\.$/);
  assert.match(read('< ')[0], /^bad: /);
});

function span(from: string | null, to: string | null, bound: FeedSpan['to_bound'] = 'inclusive'): FeedSpan {
  return { from_version: from, to_version: to, to_bound: to === null ? null : bound, fixed_in: null };
}

const A = span(null, '1.2.0');
const B = span('2.0.0', '2.5.0', 'exclusive');
const C = span('3.0.0', null);

test('fixes come with their spans, whose bounds are then as published', () => {
  const patched = [
    { from_version: '', to_version: '1.2', fixed_in: '1.3' },
    { from_version: 'v2.0', to_version: '2.5', fixed_in: '2.5' },
  ];
  const { spans, warnings } = addFixes([A, B, C], patched, '2.5', 'semver');
  assert.deepEqual(spans, [
    { from_version: null, to_version: '1.2', to_bound: 'inclusive', fixed_in: '1.3' },
    { from_version: 'v2.0', to_version: '2.5', to_bound: 'exclusive', fixed_in: '2.5' },
    C,
  ]);
  assert.deepEqual(warnings, []);
});

test('fixes of a range that is not affected are left out, with a warning', () => {
  const patched = [{ from_version: '7', to_version: '8', fixed_in: '9' }];
  const { spans, warnings } = addFixes([A], patched, '9', 'wordpress');
  assert.deepEqual(spans, [A]);
  assert.deepEqual(warnings, [
    'the patched range {"from_version":"7","to_version":"8","fixed_in":"9"} is not one of the affected ranges; it was left out.',
  ]);
});

test('a single fix belongs to a single span', () => {
  assert.deepEqual(addFixes([A], [], '1.3', 'wordpress'), {
    spans: [{ ...A, fixed_in: '1.3' }],
    warnings: [],
  });
  assert.deepEqual(addFixes([A], [], '', 'wordpress'), { spans: [A], warnings: [] });
});

test('a single fix belongs to the nearest of several spans below it, with a warning', () => {
  const { spans, warnings } = addFixes([A, B, C], [], '2.5.0', 'wordpress');
  assert.deepEqual(pluck(spans, 'fixed_in'), [null, '2.5.0', null]);
  assert.deepEqual(warnings, [
    'the server does not say which of 3 ranges 2.5.0 fixes; it was given to the one that ends at 2.5.0.',
  ]);
  const last = addFixes([A, C], [], '0.1', 'wordpress').spans.map(({ fixed_in }) => fixed_in);
  assert.deepEqual(last, [null, '0.1']);
});

test('ten thousands of spans each get their fix', () => {
  const count = 20_000;
  const spans = Array.from({ length: count }, (_, i) => span(`${i}.0`, `${i}.5`));
  const patched = spans.map(({ from_version, to_version }, i) => ({
    from_version: from_version ?? '',
    to_version: to_version ?? '',
    fixed_in: `${i}.6`,
  }));
  const fixed = addFixes(spans, patched.toReversed(), '', 'wordpress');
  assert.deepEqual(fixed.warnings, []);
  assert.deepEqual(
    fixed.spans,
    spans.map((one, i) => ({ ...one, fixed_in: `${i}.6` })),
  );
});

test('of spans with the same ends, each gets one of the fixes, in order', () => {
  const range = { from_version: '', to_version: '1.2.0' };
  const patched = ['1.3', '1.4', '1.5'].map((fixed_in) => ({ ...range, fixed_in }));
  const { spans, warnings } = addFixes([A, B, A], patched, '', 'wordpress');
  assert.deepEqual(pluck(spans, 'fixed_in'), ['1.3', null, '1.4']);
  assert.equal(warnings.length, 1);
});

test('a range may have any space around its hyphen, but no line may end in it', () => {
  const spaces = ' '.repeat(100_000);
  assert.deepEqual(read(`1.0${spaces}-\t2.0`), ['1.0 2.0 inclusive']);
  assert.deepEqual(read('1.0\n-\n2.0'), ['1.0 2.0 inclusive']);
  const { spans } = readAffected(`1.0${spaces}2.0`, 'wordpress');
  assert.deepEqual(spans, []);
  assert.ok(!read('1.0 - 2.0\n3.0').includes('1.0 2.0\n3.0 inclusive'));
});
