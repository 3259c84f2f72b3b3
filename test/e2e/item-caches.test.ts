// Items that are made from detail records, each of which is in a block that has to be inflated: a second
// answer about the same advisories reads none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Generation } from '../../src/index/generation.ts';
import type { OpenRecords } from '../../src/index/items/detail-record.ts';
import { inProcess } from '../support/serving/in-process.ts';
import { coreAdvisory, coreProduct, generationOf } from '../support/snapshots/generation.ts';

const PLUGINS = Array.from({ length: 5 }, (_, i) => `plugin-${i}`);

const ADVISORIES = [
  ...PLUGINS.flatMap((slug, i) => {
    const product = coreProduct('plugin', slug);
    return [1, 2].map((n) => coreAdvisory(10 * i + n, { product, description: 'Long. '.repeat(50) }));
  }),
  coreAdvisory(100, { product: coreProduct('wordpress', 'wordpress') }),
];

/** Sends a request, twice; returns how many detail records each time read. */
function readsOf(generation: Generation, path: string, body?: unknown): readonly number[] {
  const { records } = generation;
  let reads = 0;
  const counting = {
    detailAt: (ordinal: number, open: OpenRecords) => {
      reads++;
      return records.detailAt(ordinal, open);
    },
    bodyAt: records.bodyAt.bind(records),
    termAt: records.termAt.bind(records),
    itemAt: records.itemAt.bind(records),
  };
  const ask = inProcess(new Generation(generation.parts, counting));
  return [1, 2].map(() => {
    reads = 0;
    assert.equal(ask(path, body).status, 200);
    return reads;
  });
}

test('items of batches and of lists are remembered', (t) => {
  const generation = generationOf(t, ADVISORIES);
  const batch = PLUGINS.map((name) => ({ type: 'plugin', name, version: '*' }));
  assert.deepEqual(readsOf(generation, '/database/api/v2/batch', batch), [10, 0]);
  assert.deepEqual(readsOf(generation, '/database/api/v2/product/plugin/plugin-1/*'), [2, 0]);
  assert.deepEqual(readsOf(generation, '/wpscan/api/v3/plugins/plugin-1'), [2, 0]);
  assert.deepEqual(readsOf(generation, '/wpscan/api/v3/wordpresses/10'), [1, 0]);
});
