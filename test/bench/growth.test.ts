// The growth run without its processes: what a point measures, and the picture of several.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCorpus } from '../../bench/corpus.ts';
import { type Curve, drawCurves } from '../../bench/growth/curve.ts';
import { FIGURES, measurePoint } from '../../bench/growth/point.ts';
import { temporaryFolder } from '../support/folder.ts';

test('a point has every figure', async (t) => {
  const { snapshotPath } = await makeCorpus(temporaryFolder(t), 400);
  const point = measurePoint(snapshotPath, 400);
  assert.deepEqual(Object.keys(point), Object.keys(FIGURES));
  for (const name of ['loadMs', 'existsNs', 'deepPageUs'] as const) assert.ok(point[name] > 0, name);
});

test('sizes are on a logarithmic axis, values on one that begins at 0', () => {
  const curve: Curve = {
    title: 'a < b & c',
    unit: 'ms',
    points: [
      { size: 1_000_000, value: 20 },
      { size: 10_000, value: 5 },
      { size: 100_000, value: 10 },
    ],
  };
  const svg = drawCurves([curve]);
  const at = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ]);
  assert.deepEqual(
    at.map(([x]) => x),
    [16, 180, 344],
  );
  const base = Number(/<path d="M16 (\d+)H344"/.exec(svg)?.[1]);
  const heights = at.map(([, y]) => base - y);
  assert.deepEqual(
    heights.map((height) => height / heights[0]),
    [1, 2, 4],
  );
  assert.match(svg, />a &lt; b &amp; c, ms</);
  for (const words of ['10k', '100k', '1M', '5.00', '20.0']) assert.ok(svg.includes(`>${words}<`), words);
});

test('curves stand in two columns, and one of a single size or of nothing can be drawn, too', () => {
  const one = (value: number): Curve => ({ title: 'a', unit: 'b', points: [{ size: 10_000, value }] });
  const svg = drawCurves([one(1), one(0), one(3)]);
  assert.match(svg, /^<svg [^>]*viewBox="0 0 720 400"/);
  assert.deepEqual(
    [...svg.matchAll(/translate\((\d+ \d+)\)/g)].map(([, place]) => place),
    ['0 0', '360 0', '0 200'],
  );
  assert.doesNotMatch(svg, /NaN|Infinity/);
});
