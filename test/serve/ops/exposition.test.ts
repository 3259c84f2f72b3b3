import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { histogramSamples, register } from '../../../src/serve/ops/exposition.ts';
import { phrases } from '../../support/words.ts';

test('a histogram has a bucket for each bound, one for everything, a sum and a count', async () => {
  const registry = new Registry();
  const figures = { cumulative: [1, 3], count: 4, sum: 9.5 };
  const samples = histogramSamples([0.1, 1], figures, { kind: 'x' }, (le) => ({ le, kind: 'x' }));
  register(registry, { type: 'histogram', name: 'h', help: 'b', read: () => samples });
  const [, , ...lines] = (await registry.metrics()).split('\n');
  assert.deepEqual(lines, [
    ...phrases(`
        h_bucket{le="0.1",kind="x"} 1 | h_bucket{le="1",kind="x"} 3 | h_bucket{le="+Inf",kind="x"} 4 |
        h_sum{kind="x"} 9.5 | h_count{kind="x"} 4
      `),
    '',
  ]);
});
