import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curvesOf, gistOf } from '../../../src/console/operate/curves.ts';
import { MEASURES, type Series } from '../../../src/dialects/operations/document.ts';

function series(workers: number): Series {
  return {
    ...(Object.fromEntries(MEASURES.map((name, i) => [name, [i, null]])) as unknown as Series),
    at: [1, 2],
    cpu: Array.from({ length: workers }, (_, worker) => [worker / 10, 0.5]),
  };
}

test('every measure is in a curve, and no two curves of a chart have the same colour', () => {
  const measured = series(3);
  const curves = curvesOf(measured);
  const drawn = new Set(curves.flatMap((curve) => curve.series.map(({ values }) => values)));
  for (const name of MEASURES) assert.ok(drawn.has(measured[name]), name);
  for (const column of measured.cpu) assert.ok(drawn.has(column));
  for (const { title, series } of curves)
    assert.equal(new Set(series.map(({ colour }) => colour)).size, series.length, title);
});

test('there is a curve for each worker, with a title of its own', () => {
  const cpu = curvesOf(series(9)).find(({ title }) => title === 'CPU per worker');
  assert.equal(cpu?.series.length, 9);
  assert.equal(new Set(cpu?.series.map(({ title }) => title)).size, 9);
  assert.ok(cpu?.series.every(({ colour }) => colour.startsWith('--')));
});

test('a chart is told by its last and highest figures', () => {
  const curve = {
    title: 'Duration',
    form: 'lines' as const,
    format: (value: number) => `${value} ms`,
    series: [
      { title: 'p50', colour: '--accent', values: [1, 3, 2, null] },
      { title: 'p99', colour: '--high', values: [null] },
    ],
  };
  assert.equal(
    gistOf(curve, '5 minutes'),
    'Over the last 5 minutes. p50: now 2 ms, at most 3 ms; p99: not measured.',
  );
});
