// A tiny run of every bench: they compile, measure something, and all alternatives give the same answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure, type Task } from '../../bench/in-process/measure.ts';
import { formatRows } from '../../bench/in-process/report.ts';
import { BENCH_NAMES, runSuite, type SuiteOptions } from '../../bench/in-process/suite.ts';

const TINY: SuiteOptions = {
  advisories: 500,
  timeMs: 1,
  rounds: 1,
  names: BENCH_NAMES,
  task: '',
  say: () => {},
};

function task(name: string, answer: string): Task {
  return { name, asks: 'the same', questions: 1, run: () => answer, answers: () => [answer] };
}

test('every bench runs on a tiny corpus, and a second run gives the same answers', async () => {
  const first = await runSuite(TINY);
  assert.deepEqual([...new Set(first.rows.map(({ bench }) => bench))], BENCH_NAMES);
  for (const row of first.rows) {
    assert.ok(row.medianNs > 0 && row.p99Ns >= row.medianNs * 0.99, `${row.asks}, ${row.name}`);
  }
  const second = await runSuite(TINY);
  const answersOf = ({ rows }: typeof first) => rows.map(({ asks, name, answers }) => [asks, name, answers]);
  assert.deepEqual(answersOf(second), answersOf(first));
  assert.equal(second.snapshotId, first.snapshotId);
});

test('a bench can be narrowed to the tasks whose description contains a text', async () => {
  const { rows } = await runSuite({ ...TINY, names: ['keys', 'stab'], task: 'node-semver parse' });
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['node-semver parse'],
  );
});

test('different answers to the same questions end the run', () => {
  assert.throws(() => measure('sample', [task('one', 'a'), task('other', 'b')], { timeMs: 1, rounds: 1 }), {
    message: /^sample, the same: "other" answers [0-9a-f]{12}, "one" answers [0-9a-f]{12}$/,
  });
});

test('the table names the baseline and how many times as fast the others are', () => {
  const row = { bench: 'sample', asks: 'the same', p99Ns: 3e3, spread: 0.5, samples: 9, answers: 'ab' };
  const [head, , slow, fast] = formatRows([
    { ...row, name: 'slow', isBaseline: true, medianNs: 2e3, timesAsFast: 1 },
    { ...row, name: 'fast', isBaseline: false, medianNs: 160, timesAsFast: 12.5 },
  ]).split('\n');
  assert.match(head, /median \| +p99 \| spread \| times as fast \| answers/);
  assert.match(slow, /^\| the same \| slow \| 2\.00 us \| 3\.00 us \| +50 % \| +baseline \| +ab \|$/);
  assert.match(fast, /^\| +\| fast \| +160 ns \| 3\.00 us \| +50 % \| +12\.5 x \| +ab \|$/);
});
