// Cached and fresh answers to lookups: the same bytes, wherever they are written and whatever was requested before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeMatches } from '../../../src/dialects/patchstack/list-answer.ts';
import { type Lookup, writeLookup } from '../../../src/dialects/patchstack/lookup-answer.ts';
import { Generation } from '../../../src/index/generation.ts';
import { Matches } from '../../../src/index/lookup/matches.ts';
import { AnswerBuffer } from '../../../src/index/memory/answer-buffer.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/generation.ts';

const matches = new Matches();

/** What is written after so many bytes of something else, or undefined when the text is not a version. */
function answer(
  generation: Generation,
  lookup: Lookup,
  before = 20,
  withDetails = false,
): string | undefined {
  const out = new AnswerBuffer();
  out.text(' '.repeat(before));
  const isVersion = writeLookup(out, generation, lookup, matches, withDetails);
  return isVersion ? Buffer.from(out.view()).toString().trimStart() : undefined;
}

/** The same without segments and without a cache. */
function twin(generation: Generation, { type, name, version }: Lookup): readonly unknown[] | undefined {
  if (!generation.match(type, name, version, matches)) return undefined;
  const out = new AnswerBuffer();
  writeMatches(out, generation, matches, false);
  return JSON.parse(`[${Buffer.from(out.view()).toString()}]`);
}

const VERSIONS = [
  '0.9',
  '1.0',
  '1.0.1',
  '1.4',
  '1.5',
  '1.5.0',
  '2.0',
  '2.2',
  '3.0',
  '9',
  'x',
  'trunk',
  '0.0',
  '٣',
];

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
  const generation = generationWithMany(t);
  for (const round of ['first', 'second']) {
    for (const lookup of LOOKUPS) {
      const text = answer(generation, lookup);
      const items = text === undefined ? undefined : JSON.parse(`[${text}]`);
      assert.deepEqual(items, twin(generation, lookup), `${round}: ${JSON.stringify(lookup)}`);
    }
  }
});

test('the bytes of an answer depend neither on earlier requests nor on where it is written', (t) => {
  const warm = generationWithMany(t);
  for (const lookup of LOOKUPS) answer(warm, lookup, 3);
  for (const lookup of LOOKUPS) {
    const cold = new Generation(warm.parts, warm.records);
    const fresh = answer(cold, lookup);
    for (let before = 0; before < 16; before++) {
      assert.equal(answer(warm, lookup, before), fresh, `${JSON.stringify(lookup)} after ${before} bytes`);
    }
  }
});

test('versions of one segment share an answer, which never contains details', (t) => {
  const generation = generationWithMany(t);
  const lookup = { type: 'plugin', name: 'gallery', version: '1.1' } as const;
  assert.match(answer(generation, lookup, 20, true) ?? '', /advisory_details/);
  const plain = answer(generation, lookup) ?? '';
  assert.doesNotMatch(plain, /advisory_details/);
  assert.equal(answer(generation, { ...lookup, version: '1.4.99' }), plain);
  assert.notEqual(answer(generation, { ...lookup, version: '1.6' }), plain);
  assert.match(answer(generation, lookup, 20, true) ?? '', /advisory_details/);
});
