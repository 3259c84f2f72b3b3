import assert from 'node:assert/strict';
import { test } from 'node:test';
import { histogramSamples, renderMetrics, sample } from '../../../src/serve/ops/exposition.ts';
import { phrases } from '../../support/words.ts';

test('a metric is its help, its type and its samples, and an empty line parts it from the next', () => {
  const text = renderMetrics([
    { type: 'gauge', name: 'a', help: 'All of it.', samples: [sample(1), sample(0.5, { b: 'x', c: 'y' })] },
    { type: 'counter', name: 'd_total', help: 'None.', samples: [] },
  ]);
  assert.equal(
    text,
    '# HELP a All of it.\n# TYPE a gauge\na 1\na{b="x",c="y"} 0.5\n\n# HELP d_total None.\n# TYPE d_total counter\n',
  );
});

test('line breaks, backslashes and quotes cannot end a line or a label', () => {
  const samples = [sample(1, { b: 'x"\\\n' })];
  assert.equal(
    renderMetrics([{ type: 'gauge', name: 'a', help: '"\\\n', samples }]),
    '# HELP a "\\\\\\n\n# TYPE a gauge\na{b="x\\"\\\\\\n"} 1\n',
  );
});

test('numbers are written as Go reads them', () => {
  const samples = [Number.NaN, 1e21, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((n) =>
    sample(n),
  );
  const [, , ...lines] = renderMetrics([{ type: 'gauge', name: 'a', help: 'b', samples }]).split('\n');
  assert.deepEqual(lines, ['a Nan', 'a 1e+21', 'a +Inf', 'a -Inf', '']);
});

test('a histogram has a bucket for each bound, one for everything, a sum and a count', () => {
  const figures = { cumulative: [1, 3], count: 4, sum: 9.5 };
  const samples = histogramSamples([0.1, 1], figures, { kind: 'x' }, (le) => ({ le, kind: 'x' }));
  const [, , ...lines] = renderMetrics([{ type: 'histogram', name: 'h', help: 'b', samples }]).split('\n');
  assert.deepEqual(lines, [
    ...phrases(`
        h_bucket{le="0.1",kind="x"} 1 | h_bucket{le="1",kind="x"} 3 | h_bucket{le="+Inf",kind="x"} 4 |
        h_sum{kind="x"} 9.5 | h_count{kind="x"} 4
      `),
    '',
  ]);
});
