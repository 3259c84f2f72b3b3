// scripts/nightly.ts without the checks themselves: what its history says, and when a figure fails.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  ageText,
  appendRows,
  boundOf,
  GREEN_ROWS,
  lastGreen,
  type Row,
  readRows,
  WHOLE,
} from '../scripts/nightly/history.ts';
import { judge, type Ran } from '../scripts/nightly/judge.ts';
import type { Part } from '../scripts/nightly/parts.ts';
import { type Figure, figure } from './support/figure.ts';
import { temporaryFolder } from './support/folder.ts';

const PART: Part = { name: 'soak', node: '20', command: ['all'], again: (sources) => ['again', ...sources] };
const CEILING = 100;

function row(value: number, changed: Partial<Row> = {}): Row {
  const when = { at: '2026-11-20T01:02:03Z', commit: 'abc', load: 0.5 };
  const what = { node: '20', part: 'soak', figure: 'p50', value, unit: 'ms', bound: CEILING };
  return { ...when, ...what, verdict: 'green', ...changed };
}

function figureOf(name: string, value: number): Figure {
  return { source: `${name}.soak.ts`, name, value, unit: 'ms', ceiling: CEILING };
}

test('rows are read as they were written, after those that were there', (t) => {
  const path = join(temporaryFolder(t), 'history.tsv');
  assert.deepEqual(readRows(path), []);
  const rows = [row(1.5), row(2, { bound: undefined, verdict: 'noted' }), row(123_456, { verdict: 'red' })];
  appendRows(path, rows.slice(0, 2));
  appendRows(path, rows.slice(2));
  assert.deepEqual(readRows(path), [...rows.slice(0, 2), { ...rows[2], value: 123_500 }]);
  writeFileSync(path, `${readFileSync(path, 'utf8')}cut\toff\n`);
  assert.throws(() => readRows(path), /history\.tsv:5 has 2 cells; expected 10$/);
});

test('a bound is the median of the last ten green rows and four median deviations, at most the ceiling', () => {
  const values = [50, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
  const rows = values.map((value) => row(value));
  assert.equal(boundOf(rows, rows[0], CEILING), 3 + 4 * 1);
  assert.equal(boundOf(rows, rows[0], 6), 6);
  assert.equal(boundOf(rows.slice(0, GREEN_ROWS - 1), rows[0], CEILING), CEILING);
  const even = Array.from({ length: GREEN_ROWS }, () => row(10));
  assert.equal(boundOf(even, even[0], CEILING), 12, 'equal values leave a fifth of room');
  const others = [
    row(90, { node: '24' }),
    row(90, { part: 'soak-node' }),
    row(90, { figure: 'p99' }),
    row(90, { verdict: 'red' }),
  ];
  assert.equal(boundOf([...even, ...others], even[0], CEILING), 12);
});

test('only a green run of all parts counts as one', () => {
  const now = Date.parse('2026-11-23T00:00:00Z');
  assert.equal(
    ageText([row(1), row(1, { part: WHOLE, verdict: 'red' })], now),
    'no .ci/nightly was green yet',
  );
  const rows = [row(1, { part: WHOLE, commit: 'good' }), row(1, { part: WHOLE, verdict: 'red' })];
  assert.equal(lastGreen(rows)?.commit, 'good');
  assert.equal(ageText(rows, now), 'the last green .ci/nightly was 2 day(s) ago, of commit good');
});

/** Runs a part whose commands answer with these in turn; returns its verdicts and the commands. */
async function verdicts(answers: readonly Ran[], known: readonly Row[] = []) {
  const asked: string[] = [];
  const judged = await judge(PART, known, async (command) => {
    asked.push(command.join(' '));
    return answers[asked.length - 1];
  });
  return { asked, judged: judged.map(({ figure: name, value, verdict }) => `${name} ${value} ${verdict}`) };
}

test('a figure beyond its bound is measured twice more, and fails if it is beyond in two of three', async () => {
  const ran = (...figures: readonly Figure[]): Ran => ({ status: 0, figures });
  const [good, bad] = [figureOf('good', 100), figureOf('slow', 101)];
  assert.deepEqual(await verdicts([ran(good)]), {
    asked: ['all'],
    judged: ['exit status 0 green', 'good 100 green'],
  });
  const again = 'again slow.soak.ts';
  assert.deepEqual(await verdicts([ran(good, bad), ran(figureOf('slow', 3)), ran(figureOf('slow', 9))]), {
    asked: ['all', again, again],
    judged: ['exit status 0 green', 'good 100 green', 'slow 9 green'],
  });
  assert.deepEqual(await verdicts([ran(bad), ran(figureOf('slow', 3)), ran(figureOf('slow', 200))]), {
    asked: ['all', again, again],
    judged: ['exit status 0 green', 'slow 101 red'],
  });
});

test('a bound of the history is used before the ceiling, and a figure without one is noted', async () => {
  const known = Array.from({ length: GREEN_ROWS }, () => row(10));
  const unbounded: Figure = { source: 'bench', name: 'size', value: 1e9, unit: 'B' };
  const ran = { status: 0, figures: [figureOf('p50', 13), unbounded] };
  const { judged } = await verdicts([ran, ran, ran], known);
  assert.deepEqual(judged, ['exit status 0 green', 'p50 13 red', 'size 1000000000 noted']);
});

test('a failed test fails at once', async () => {
  const { asked, judged } = await verdicts([{ status: 1, figures: [] }]);
  assert.deepEqual([asked, judged], [['all'], ['exit status 1 red']]);
});

test('a figure that nobody asked for fails its test beyond the ceiling', (t) => {
  const { VULNDEX_FIGURES: asked } = process.env;
  delete process.env.VULNDEX_FIGURES;
  t.after(() => {
    if (asked !== undefined) process.env.VULNDEX_FIGURES = asked;
  });
  const said: string[] = [];
  const teller = { diagnostic: (text: string) => said.push(text) };
  figure(teller, figureOf('fast', 100));
  assert.throws(() => figure(teller, figureOf('slow', 100.4)), /slow: 100\.4 ms; at most 100 ms/);
  assert.deepEqual(said, ['fast: 100.0 ms; at most 100 ms', 'slow: 100.4 ms; at most 100 ms']);
});
