import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HotProducts, type NamedGeneration } from '../../../../src/serve/operations/requests/hottest.ts';
import { generationTag, type Lookup } from '../../../../src/serve/operations/requests/lookup-ring.ts';
import { pluck } from '../../../support/pluck.ts';

/** Plugins of these names. */
function generation(id: string, ...names: readonly string[]): NamedGeneration {
  const ends = names.map((_, i) => names.slice(0, i + 1).join('').length);
  return {
    id,
    columns: {
      productType: new Uint8Array(names.length),
      productSlug: Buffer.from(names.join('')),
      productSlugStart: Uint32Array.from([0, ...ends]),
    },
  };
}

const OLD = generation('00000000aaaaaaaa', 'gallery', 'forms');
const NEW = generation('11111111bbbbbbbb', 'cart', 'forms', 'gallery');

function lookups(of: NamedGeneration, product: number, count: number, weight = 1): readonly Lookup[] {
  const lookup = { product, tag: generationTag(of.id), caller: undefined, weight, version: undefined };
  return Array.from({ length: count }, () => lookup);
}

test('the hottest come first, with their share of all and a rate over at least a minute', () => {
  const hot = new HotProducts(0);
  hot.add(lookups(NEW, 0, 3), 1);
  hot.add(lookups(NEW, 2, 1, 9), 2);
  assert.deepEqual(hot.top([NEW], 3), [
    { type: 'plugin', name: 'gallery', requests_per_minute: 9, share: 0.75 },
    { type: 'plugin', name: 'cart', requests_per_minute: 3, share: 0.25 },
  ]);
});

test('over a swap, a product is the same one, by its name', () => {
  const hot = new HotProducts(0);
  hot.add(lookups(OLD, 0, 2), 60);
  hot.add(lookups(NEW, 2, 4), 100);
  const [gallery, ...others] = hot.top([NEW, OLD], 120);
  assert.deepEqual(gallery, { type: 'plugin', name: 'gallery', requests_per_minute: 3, share: 1 });
  assert.deepEqual(others, []);
  assert.equal(hot.top([NEW], 120)[0].requests_per_minute, 2, 'rows of a released generation have no name');
});

test('what is older than five minutes does not count, and a row that no generation has is left out', () => {
  const hot = new HotProducts(0);
  hot.add(lookups(NEW, 0, 100), 10);
  hot.add(lookups(NEW, 1, 5), 200);
  hot.add(lookups(NEW, 77, 5), 200);
  assert.deepEqual(hot.top([NEW], 400), [
    { type: 'plugin', name: 'forms', requests_per_minute: 1, share: 0.5 },
  ]);
  assert.deepEqual(hot.top([NEW], 600), []);
});

test('at most 20 are shown, and memory is bounded whatever arrives', () => {
  const names = Array.from({ length: 50 }, (_, i) => `p${i}`);
  const many = generation('22222222cccccccc', ...names);
  const hot = new HotProducts(0);
  for (let i = 0; i < 50; i++) hot.add(lookups(many, i, 50 - i), 1);
  assert.deepEqual(pluck(hot.top([many], 2), 'name'), names.slice(0, 20));
  for (let i = 0; i < 130; i++) hot.add(lookups(many, 49, 1_000), 3);
  assert.deepEqual([hot.top([many], 4).length, hot.top([many], 4)[0].share], [1, 1]);
  // The ring now begins at second 3: a rate of what it holds is over the time since then.
  const [{ requests_per_minute: atOnce }] = hot.top([many], 63);
  const [{ requests_per_minute: later }] = hot.top([many], 123);
  assert.deepEqual([atOnce, later], [30_000, 15_000]);
});
