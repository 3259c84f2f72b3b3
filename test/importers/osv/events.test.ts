import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spansOfEvents } from '../../../src/importers/osv/events.ts';
import type { FieldProblem } from '../../../src/importers/record/feed-schema.ts';
import type { VersionScheme } from '../../../src/index/versions/version-key.ts';

/** Events as `introduced 1.0.0`, several to a line. */
function events(text: string): { readonly [kind: string]: string }[] {
  return text.split(', ').map((event) => {
    const [kind, version] = event.split(' ');
    return { [kind]: version };
  });
}

function spansOf(
  list: readonly unknown[],
  scheme: VersionScheme = 'semver',
): { spans: string[]; problems: string[] } {
  const found: FieldProblem[] = [];
  const spans = spansOfEvents(list, scheme, 'ranges[0]', found).map(({ span }) => {
    const end = { exclusive: ')', inclusive: '!', 'last-affected': ']' }[span.to_bound ?? 'exclusive'];
    const fix = span.fixed_in === null ? '' : ` fixed in ${span.fixed_in}`;
    return `[${span.from_version ?? '*'}, ${span.to_version ?? '*'}${end}${fix}`;
  });
  return { spans, problems: found.map(({ field, message }) => `${field}: ${message}`) };
}

const SOUND: readonly (readonly [title: string, events: string, ...spans: string[]])[] = [
  ['0 is below every version', 'introduced 0, fixed 1.2.0', '[*, 1.2.0) fixed in 1.2.0'],
  ['without an end, all later versions are affected', 'introduced 0', '[*, *)'],
  ['the last affected version is affected', 'introduced 1.0.0, last_affected 1.4.2', '[1.0.0, 1.4.2]'],
  [
    'events in any order are sorted',
    'fixed 2.2.0, introduced 2.0.0, fixed 1.2.0, introduced 1.0.0',
    '[1.0.0, 1.2.0) fixed in 1.2.0',
    '[2.0.0, 2.2.0) fixed in 2.2.0',
  ],
  [
    'pre-releases sort below their release',
    'introduced 2.2.0-beta.2, fixed 3.0.0-alpha.10',
    '[2.2.0-beta.2, 3.0.0-alpha.10) fixed in 3.0.0-alpha.10',
  ],
  [
    'hashes as pre-releases are bounds like others',
    'introduced 1.0.0-master.cbbd829, fixed 1.0.0-master.d8ca915',
    '[1.0.0-master.cbbd829, 1.0.0-master.d8ca915) fixed in 1.0.0-master.d8ca915',
  ],
  ['odd versions are kept as written', 'introduced 0, last_affected 16.0.0-272-9', '[*, 16.0.0-272-9]'],
  [
    'a second introduced within a stretch changes nothing',
    'introduced 1.0.0, introduced 1.1.0, fixed 1.2.0',
    '[1.0.0, 1.2.0) fixed in 1.2.0',
  ],
  ['one version can be all', 'last_affected 1.0.0, introduced 1.0.0', '[1.0.0, 1.0.0]'],
  [
    'one stretch can begin where another is fixed',
    'introduced 0, fixed 1.0.0, introduced 1.0.0, fixed 2.0.0',
    '[*, 1.0.0) fixed in 1.0.0',
    '[1.0.0, 2.0.0) fixed in 2.0.0',
  ],
  ['a limit ends what nothing fixes', 'introduced 0, limit 1.5.0', '[*, 1.5.0)'],
  ['a limit is not affected itself', 'introduced 1.0.0, last_affected 1.5.0, limit 1.5.0', '[1.0.0, 1.5.0)'],
  [
    'a limit above the fix changes nothing',
    'introduced 1.0.0, fixed 1.5.0, limit 1.5.0',
    '[1.0.0, 1.5.0) fixed in 1.5.0',
  ],
  [
    'of several limits the highest counts',
    'introduced 0, limit 1.0.0, limit 3.0.0, limit 2.0.0',
    '[*, 3.0.0)',
  ],
  ['a limit of * is none', 'introduced 0, limit 1.0.0, limit *', '[*, *)'],
  [
    'what begins behind the limit is cut off',
    'introduced 1.0.0, fixed 1.1.0, introduced 2.0.0, limit 2.0.0',
    '[1.0.0, 1.1.0) fixed in 1.1.0',
  ],
];

for (const [title, text, ...spans] of SOUND) {
  test(title, () => assert.deepEqual(spansOf(events(text)), { spans, problems: [] }));
}

test('events that contradict each other are a problem, and still mean what the schema makes of them', () => {
  assert.deepEqual(spansOf(events('introduced 2.0.0, fixed 1.0.0')), {
    spans: ['[2.0.0, *)'],
    problems: ['ranges[0].events: fixed "1.0.0" ends nothing: no version directly below it is affected'],
  });
  assert.deepEqual(spansOf(events('introduced 1.0.0, fixed 1.0.0')), {
    spans: [],
    problems: [
      'ranges[0].events: introduced "1.0.0" has no effect: the same version is in a fixed event',
      'ranges[0].events: no version is affected',
    ],
  });
  assert.deepEqual(spansOf(events('introduced 1.0.0, fixed 1.1.0, last_affected 1.2.0')), {
    spans: ['[1.0.0, 1.1.0) fixed in 1.1.0'],
    problems: [
      'ranges[0].events: last_affected "1.2.0" ends nothing: no version directly below it is affected',
    ],
  });
});

test('events need one with introduced', () => {
  assert.deepEqual(spansOf([]), { spans: [], problems: ['ranges[0].events: is empty'] });
  assert.deepEqual(spansOf(events('fixed 1.0.0')).problems, [
    'ranges[0].events: has no introduced event, so no version is affected',
  ]);
  assert.deepEqual(spansOf(events('introduced 3.0.0, limit 2.0.0')).problems, [
    'ranges[0].events: no version is affected',
  ]);
});

test('pairs are a union: one that begins where another ends, in whichever order, is affected all the way', () => {
  for (const text of [
    'introduced 0, last_affected 1.0.0, introduced 1.0.0, fixed 3.0.0',
    'introduced 1.0.0, fixed 3.0.0, introduced 0, last_affected 1.0.0',
  ]) {
    const { spans, problems } = spansOf(events(text));
    assert.deepEqual(
      [spans.toSorted(), problems],
      [['[*, 1.0.0]', '[1.0.0, 3.0.0) fixed in 3.0.0'], []],
      text,
    );
  }
  assert.deepEqual(spansOf(events('introduced 2.0.0, fixed 3.0.0, introduced 0, fixed 2.0.0')).spans, [
    '[2.0.0, 3.0.0) fixed in 3.0.0',
    '[*, 2.0.0) fixed in 2.0.0',
  ]);
});

test('an end that cannot be read leaves its span open, and a start begins it at the bottom', () => {
  const banana = '"banana" is not a semver version';
  const list = events(
    'introduced 3.0.0, fixed banana, introduced 1.0.0, fixed 1.2.0, introduced banana, fixed 0.2.0',
  );
  assert.deepEqual(spansOf(list), {
    spans: ['[3.0.0, *)', '[1.0.0, 1.2.0) fixed in 1.2.0', '[*, 0.2.0) fixed in 0.2.0'],
    problems: [
      `ranges[0].events[1].fixed: ${banana}; the span has no end`,
      `ranges[0].events[4].introduced: ${banana}; the span begins below every version`,
    ],
  });
  assert.deepEqual(spansOf(events('introduced 0, limit banana')), {
    spans: ['[*, *)'],
    problems: [`ranges[0].events[1].limit: ${banana}; there is no limit`],
  });
});

test('an event that cannot be read never makes a version clean, where events are not listed in pairs', () => {
  for (const [text, ...expected] of [
    ['introduced 1.0.0, introduced 2.0.0, fixed banana, fixed 3.0.0', '[1.0.0, 3.0.0) fixed in 3.0.0'],
    ['introduced banana, fixed 2.0.0, fixed 3.0.0, introduced 2.5.0', '[*, 3.0.0) fixed in 3.0.0'],
    ['introduced banana, introduced 4.0.0, fixed 3.0.0', '[*, *)'],
    ['introduced banana, fixed banana, fixed 3.0.0', '[*, *)'],
    ['introduced 1.0.0, fixed banana, limit 2.0.0, introduced 0.5.0', '[1.0.0, 2.0.0)', '[0.5.0, 2.0.0)'],
    [
      'introduced 1.0.0, fixed banana, introduced 4.0.0, fixed 3.0.0',
      '[1.0.0, 3.0.0) fixed in 3.0.0',
      '[4.0.0, *)',
    ],
  ]) {
    const { spans, problems } = spansOf(events(text));
    assert.deepEqual(spans, expected, text);
    assert.match(problems.join(), /"banana" is not a semver version/, text);
  }
});

test('an event that does not say what it is may be a start', () => {
  const { spans } = spansOf([{ introducd: '1.0.0' }, { fixed: '2.0.0' }, { introduced: '3.0.0' }]);
  assert.deepEqual(spans, ['[*, 2.0.0) fixed in 2.0.0', '[3.0.0, *)']);
});

test('the problems of events say what is wrong with each', () => {
  const { problems } = spansOf([
    { introduced: '1.0.0', fixed: '1.1.0' },
    'introduced',
    { introduced: 1 },
    {},
    { fixed: '<= 1.0' },
    { fixed: '1'.repeat(300) },
    { limit: '' },
  ]);
  const one = 'must have exactly one of introduced, fixed, last_affected, limit';
  const start = 'it is taken for a start that cannot be read';
  assert.deepEqual(
    problems.map((text) => text.replace('ranges[0].events', '')),
    [
      `[0]: ${one}; ${start}`,
      `[1]: must be an object (got "introduced"); ${start}`,
      '[2].introduced: must be a string (got 1); the span begins below every version',
      `[3]: ${one}; ${start}`,
      '[4].fixed: "<= 1.0" is an expression, not a version; the span has no end',
      '[5].fixed: is longer than 256 bytes; the span has no end',
      '[6].limit: "" is not a semver version; there is no limit',
    ],
  );
});

test('the problems of events may be more than a call can have arguments', () => {
  assert.equal(spansOf(new Array(300_000).fill(7)).problems.length, 300_001);
});

test('spans of events follow the scheme of the product', () => {
  assert.deepEqual(spansOf(events('introduced 1.10, fixed 1.9'), 'wordpress').spans, ['[1.10, *)']);
  assert.deepEqual(spansOf(events('introduced 1.0.0, last_affected 1.0'), 'wordpress').spans, [
    '[1.0.0, 1.0]',
  ]);
  assert.match(
    spansOf(events('introduced -'), 'wordpress').problems.join(),
    /"-" is not a wordpress version/,
  );
});
