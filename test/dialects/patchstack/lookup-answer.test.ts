// Cached and fresh answers to lookups: the same bytes, wherever they are written and whatever was requested
// before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeMatches } from '../../../src/dialects/patchstack/list-answer.ts';
import { writeLookup } from '../../../src/dialects/patchstack/lookup-answer.ts';
import type { Generation } from '../../../src/index/generation.ts';
import type { Lookup } from '../../../src/index/lookup/lookup.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { match } from '../../support/answers/verdicts.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';
import { words } from '../../support/words.ts';

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
