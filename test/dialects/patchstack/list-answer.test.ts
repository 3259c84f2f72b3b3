// The forms of a list item: as prepared, with details, and in a lookup. Cached and fresh answers to lookups:
// the same bytes, wherever they are written and whatever was requested before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  joinListedItems,
  writeListed,
  writeListedItems,
  writeLookup,
  writeMatches,
} from '../../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../../src/index/generation.ts';
import type { Stretch } from '../../../src/index/lookup/id-list.ts';
import type { Lookup } from '../../../src/index/lookup/lookup.ts';
import { OwnArea } from '../../../src/index/memory/own-area.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { type ServedItem, servedItems } from '../../support/answers/served-items.ts';
import { match } from '../../support/answers/verdicts.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';
import { words } from '../../support/words.ts';

const fromUtf8 = new TextDecoder();

/** The output of `write`, parsed as the elements of an array. */
function written(generation: Generation, write: (memory: ThreadMemory) => void): readonly ServedItem[] {
  const memory = new ThreadMemory(generation);
  const { out } = memory;
  out.text('[');
  write(memory);
  out.text(']');
  return JSON.parse(fromUtf8.decode(out.view())) as ServedItem[];
}

function lookup(generation: Generation, version: string, withDetails = false): readonly ServedItem[] {
  return written(generation, (memory) => {
    assert.ok(match(generation, 'plugin', 'gallery', version, memory.matches));
    writeMatches(memory, generation, withDetails);
  });
}

const odd = '"é\\\u{1f600}';

function generationWithTwo(t: Parameters<typeof generationOf>[0]): Generation {
  return generationOf(t, [
    coreAdvisory(1, {
      title: `first ${odd}`,
      details: `# First ${odd}`,
      spans: [
        coreSpan(null, '1.5', 'exclusive', '1.5'),
        coreSpan('2.0', `2.5${odd}`, 'last-affected', `2.6${odd}`),
        coreSpan('4.0', null),
      ],
    }),
    coreAdvisory(2, { details: '', spans: [coreSpan(null, null)] }),
  ]);
}

test('prepared items are contiguous bytes, without a comma at the end', (t) => {
  const generation = generationWithTwo(t);
  assert.deepEqual(servedItems(generation, { start: 1, end: 1 }), []);
  const ids = (start: number, end: number): number[] =>
    servedItems(generation, { start, end }).map(({ id }) => id);
  assert.deepEqual(ids(0, 2), [2, 1]);
  assert.deepEqual(ids(0, 1), [2]);
  assert.deepEqual(ids(1, 2), [1]);
});

test('details are added to the same item, even if empty', (t) => {
  const generation = generationWithTwo(t);
  const [second, first] = servedItems(generation, { start: 0, end: 2 });
  assert.deepEqual(
    written(generation, (memory) => writeListedItems(memory, generation, { start: 0, end: 2 }, true)),
    [
      { ...second, advisory_details: '' },
      { ...first, advisory_details: `# First ${odd}` },
    ],
  );
});

test('a lookup names the lowest fix, and has no matched range when no version was given', (t) => {
  const generation = generationWithTwo(t);
  const [second, first] = servedItems(generation, { start: 0, end: 2 });
  assert.equal(first.version_info.fixed, `2.6${odd}`);
  const ordinals = Uint32Array.of(0, 1);
  const lowest = { ...first, version_info: { ...first.version_info, fixed: '1.5' } };
  assert.deepEqual(
    written(generation, (memory) => writeListed(memory, generation, ordinals, 0, 2, false)),
    [second, lowest],
  );
  assert.deepEqual(
    written(generation, (memory) => writeListed(memory, generation, ordinals, 1, 2, true)),
    [{ ...lowest, advisory_details: `# First ${odd}` }],
  );
});

test('a matched range always has its four keys, null if not recorded', (t) => {
  const generation = generationWithTwo(t);
  const rangesAt = (version: string): unknown[] =>
    lookup(generation, version).map(({ id, matched_range }) => ({ id, matched_range }));
  const open = { from_version: null, to_version: null, to_bound: null, fixed_in: null };
  assert.deepEqual(rangesAt('1.0'), [
    { id: 2, matched_range: open },
    {
      id: 1,
      matched_range: { from_version: null, to_version: '1.5', to_bound: 'exclusive', fixed_in: '1.5' },
    },
  ]);
  assert.deepEqual(rangesAt('2.1')[1], {
    id: 1,
    matched_range: {
      from_version: '2.0',
      to_version: `2.5${odd}`,
      to_bound: 'last-affected',
      fixed_in: `2.6${odd}`,
    },
  });
  assert.deepEqual(rangesAt('9')[1], { id: 1, matched_range: { ...open, from_version: '4.0' } });
  assert.deepEqual(rangesAt('1.5'), [{ id: 2, matched_range: open }]);
});

test('a matched advisory can include its details', (t) => {
  const [, first] = lookup(generationWithTwo(t), '1.0', true);
  assert.equal(first.advisory_details, `# First ${odd}`);
  assert.ok('matched_range' in first);
});

test('a joined page has the bytes that are written without an area, whichever items have details', (t) => {
  const count = 9;
  const generation = generationOf(
    t,
    Array.from({ length: count }, (_, i) =>
      coreAdvisory(i + 1, { title: 'x'.repeat(i), details: [0, 3, 4, 8].includes(i) ? `${odd} ${i}` : '' }),
    ),
  );
  for (const withDetails of [false, true]) {
    for (let start = 0; start <= count; start++) {
      for (let end = start; end <= count; end++) {
        for (const before of ['', '[', '{"vulnerabilities":[']) {
          assertJoined(generation, { start, end }, before, withDetails);
        }
      }
    }
  }
});

test('a page that is too long for the area is written without it', (t) => {
  const details = 'é'.repeat(900_000);
  const generation = generationOf(
    t,
    [1, 2, 3, 4].map((id) => coreAdvisory(id, { details: id === 1 ? '' : details })),
  );
  assertJoined(generation, { start: 0, end: 2 }, '[', true);
  assertJoined(generation, { start: 0, end: 4 }, '[', true);
  assertJoined(generation, { start: 0, end: 4 }, '[', false);
});

/** Joins a stretch, and compares with the same stretch written to plain memory. */
function assertJoined(generation: Generation, stretch: Stretch, before: string, withDetails: boolean): void {
  const [beforeBytes, afterBytes] = [before, ']}'].map((text) => Buffer.from(text));
  const joined = joinListedItems(
    new ThreadMemory(generation),
    generation,
    beforeBytes,
    stretch,
    afterBytes,
    withDetails,
  );
  const memory = new ThreadMemory(generation);
  const { out } = memory;
  out.piece(beforeBytes);
  writeListedItems(memory, generation, stretch, withDetails);
  out.piece(afterBytes);
  assert.ok(Buffer.from(out.view()).equals(joined), `${JSON.stringify(stretch)} after '${before}'`);
}

interface Asked {
  readonly generation: Generation;
  readonly memory: ThreadMemory;
}

const asked = (generation: Generation): Asked => ({ generation, memory: new ThreadMemory(generation) });

/** What is written after so many bytes of something else, or undefined when the text is not a version. */
function answer(
  { generation, memory }: Asked,
  { type, name, version }: Lookup,
  before = 20,
  withDetails = false,
): string | undefined {
  const { out, locator } = memory;
  out.restart();
  out.text(' '.repeat(before));
  const place = generation.locate(type, name, version, locator);
  if (place.kind === 'not-a-version') return undefined;
  writeLookup(memory, generation, place, withDetails);
  return Buffer.from(out.view()).toString().trimStart();
}

/** The same without segments and without a cache. */
function twin(generation: Generation, { type, name, version }: Lookup): readonly unknown[] | undefined {
  const memory = new ThreadMemory(generation);
  const { out, matches } = memory;
  if (!match(generation, type, name, version, matches)) return undefined;
  writeMatches(memory, generation, false);
  return JSON.parse(`[${Buffer.from(out.view()).toString()}]`);
}

const VERSIONS = words('0.9 1.0 1.0.1 1.4 1.5 1.5.0 2.0 2.2 3.0 9 x trunk 0.0 ٣');

function generationWithMany(t: Parameters<typeof generationOf>[0]): Generation {
  return generationOf(t, [
    coreAdvisory(1, { spans: [coreSpan('1.0', '1.5', 'inclusive', '1.6'), coreSpan('2.0', null)] }),
    coreAdvisory(2, { title: 'of another length', spans: [coreSpan(null, '2.2', 'exclusive', '2.2')] }),
    coreAdvisory(3, { product: coreProduct('theme', 'mixed') }),
    coreAdvisory(4, { product: coreProduct('theme', 'mixed'), versionScheme: 'decimal' }),
    coreAdvisory(5, { product: coreProduct('npm', 'lib') }),
    coreAdvisory(6, { product: coreProduct('npm', 'gone'), withdrawnAt: 1_700_000_000 }),
  ]);
}

const LOOKUPS: readonly Lookup[] = (
  [
    ['plugin', 'gallery'],
    ['plugin', 'Gallery'],
    ['theme', 'mixed'],
    ['npm', 'lib'],
    ['npm', 'gone'],
    ['npm', 'unknown'],
  ] as const
).flatMap(([type, name]) => VERSIONS.map((version) => ({ type, name, version })));

test('an answer is what the matches say, the first time and every time after', (t) => {
  const warm = asked(generationWithMany(t));
  for (const round of ['first', 'second']) {
    for (const lookup of LOOKUPS) {
      const text = answer(warm, lookup);
      const items = text === undefined ? undefined : JSON.parse(`[${text}]`);
      assert.deepEqual(items, twin(warm.generation, lookup), `${round}: ${JSON.stringify(lookup)}`);
    }
  }
});

test('the bytes of an answer depend neither on earlier requests nor on where it is written', (t) => {
  const warm = asked(generationWithMany(t));
  for (const lookup of LOOKUPS) answer(warm, lookup, 3);
  for (const lookup of LOOKUPS) {
    const cold = asked(warm.generation);
    const fresh = answer(cold, lookup);
    for (let before = 0; before < 16; before++) {
      assert.equal(answer(warm, lookup, before), fresh, `${JSON.stringify(lookup)} after ${before} bytes`);
    }
  }
});

test('versions of one segment share an answer, which never contains details', (t) => {
  const warm = asked(generationWithMany(t));
  const lookup = { type: 'plugin', name: 'gallery', version: '1.1' } as const;
  assert.match(answer(warm, lookup, 20, true) ?? '', /advisory_details/);
  const plain = answer(warm, lookup) ?? '';
  assert.doesNotMatch(plain, /advisory_details/);
  assert.equal(answer(warm, { ...lookup, version: '1.4.99' }), plain);
  assert.notEqual(answer(warm, { ...lookup, version: '1.6' }), plain);
  assert.match(answer(warm, lookup, 20, true) ?? '', /advisory_details/);
});

test('a page that the thread joined last is there already, and every other page is joined', (t) => {
  const generation = generationWithTwo(t);
  const memory = new ThreadMemory(generation);
  const piece = t.mock.method(OwnArea.prototype, 'piece');
  const [open, other] = ['[', '{'].map((text) => new TextEncoder().encode(text));
  const [close, short, long] = [']', '}', '}]'].map((text) => new TextEncoder().encode(text));
  const page = (before: Uint8Array, stretch: Stretch, after: Uint8Array, withDetails: boolean): string => {
    const begun = piece.mock.callCount();
    const joined = fromUtf8.decode(joinListedItems(memory, generation, before, stretch, after, withDetails));
    const fresh = new ThreadMemory(generation);
    fresh.out.piece(before);
    writeListedItems(fresh, generation, stretch, withDetails);
    fresh.out.piece(after);
    assert.equal(joined.replaceAll(' ', ''), fromUtf8.decode(fresh.out.view()).replaceAll(' ', ''));
    return piece.mock.callCount() > begun ? 'joined' : 'there';
  };
  const all = { start: 0, end: 2 };
  assert.equal(page(open, all, close, false), 'joined');
  assert.equal(page(open, all, close, false), 'there');
  for (const withDetails of [true, false]) assert.equal(page(open, all, close, withDetails), 'joined');
  assert.equal(page(open, { start: 0, end: 1 }, close, false), 'joined');
  assert.equal(page(open, { start: 1, end: 2 }, close, false), 'joined');
  assert.equal(page(open, all, long, false), 'joined');
  assert.equal(page(open, all, close, false), 'joined', 'the end of the one before');
  assert.equal(page(open, all, short, false), 'joined');
  assert.equal(page(other, all, short, false), 'joined');
  assert.equal(page(other, all, short, false), 'there');
});

test('a page whose joining failed is joined again', (t) => {
  const generation = generationWithTwo(t);
  const memory = new ThreadMemory(generation);
  const [open, close] = ['[', ']'].map((text) => new TextEncoder().encode(text));
  const page = (withDetails: boolean): string =>
    fromUtf8.decode(joinListedItems(memory, generation, open, { start: 0, end: 2 }, close, withDetails));
  const listed = page(false);
  const failing = t.mock.method(generation.records, 'bodyAt', () => {
    throw new Error('a block that lies');
  });
  assert.throws(() => page(true), /a block that lies/);
  failing.mock.restore();
  assert.equal(page(false), listed);
  assert.match(page(true), /# First/);
});
