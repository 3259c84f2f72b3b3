// Items that are made from detail records, each of which is in a block that has to be inflated: a second
// answer about the same advisories reads none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Generation } from '../../src/index/generation.ts';
import type { OpenRecords } from '../../src/index/items/detail-record.ts';
import { inProcess } from '../support/serving/in-process.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../support/snapshots/generation.ts';

const PLUGINS = Array.from({ length: 5 }, (_, i) => `plugin-${i}`);

const ADVISORIES = [
  ...PLUGINS.flatMap((slug, i) => {
    const product = coreProduct('plugin', slug);
    return [1, 2].map((n) => coreAdvisory(10 * i + n, { product, description: 'Long. '.repeat(50) }));
  }),
  // The same spans, so the same rows of columns.
  ...[100, 101].map((id) => coreAdvisory(id, { product: coreProduct('wordpress', 'wordpress') })),
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
    packedAt: records.packedAt.bind(records),
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
  assert.deepEqual(readsOf(generation, '/database/api/v2/product/plugin/plugin-1/1.0'), [2, 0]);
  assert.deepEqual(readsOf(generation, '/database/api/v2/vulnerability/12'), [2, 0]);
  assert.deepEqual(readsOf(generation, '/wpscan/api/v3/plugins/plugin-1'), [2, 0]);
  assert.deepEqual(readsOf(generation, '/wpscan/api/v3/wordpresses/10'), [2, 0]);
});

const PATHS = [
  ...['*', '1.0', '2.2'].map((version) => `/database/api/v2/product/plugin/plugin-1/${version}`),
  ...['/database/api/v2/vulnerability/11', '/database/api/v2/latest'],
  ...['/wpscan/api/v3/plugins/plugin-1', '/wpscan/api/v3/wordpresses/10'],
];

/** Two advisories of one product, one of which has two spans, and one of WordPress. */
function titled(title: string): Parameters<typeof generationOf>[1] {
  const product = coreProduct('plugin', 'plugin-1');
  const spans = ['1', '2'].map((line) => coreSpan(`${line}.0`, `${line}.9`, 'exclusive', `${line}.9`));
  return [
    coreAdvisory(11, { product, title, description: title.repeat(50) }),
    coreAdvisory(12, { product, title, spans }),
    coreAdvisory(13, { product: coreProduct('wordpress', 'wordpress'), title }),
  ];
}

test('a remembered answer has the bytes of one that is made, in any order, and is forgotten at a swap', (t) => {
  const generations = ['One', 'Two'].map((title) => generationOf(t, titled(title)));
  const made = generations.map((each) => PATHS.map((path) => inProcess(each)(path).text));
  for (const [i, path] of PATHS.entries()) assert.notEqual(made[0][i], made[1][i], path);
  let live = 0;
  const ask = inProcess(() => generations[live]);
  for (let round = 0; round < 6; round++) {
    live = Math.floor(round / 2) % 2;
    const order = [...PATHS.keys()];
    if (round % 2 === 1) order.reverse();
    for (const i of order) assert.equal(ask(PATHS[i]).text, made[live][i], `${PATHS[i]}, round ${round}`);
  }
});
