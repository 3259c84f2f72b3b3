// A tiny run of every bench in process: they measure something, and all alternatives give the same answers.
// The loop that they are compared with must be correct, or beating it means nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCorpus } from '../../bench/corpus.ts';
import { applies, type LinearAdvisory } from '../../bench/in-process/linear.ts';
import { measure, type Task, type Timed } from '../../bench/in-process/measure.ts';
import { report, tableOf } from '../../bench/in-process/rows.ts';
import { BENCH_NAMES, runSuite } from '../../bench/in-process/suite.ts';
import { temporaryFolder } from '../support/folder.ts';

const TINY = { roundMs: 0, rounds: 1 };

function task(name: string, answer: string): Task {
  return { name, asks: 'the same', questions: 1, run: () => answer, answers: () => [answer] };
}

test('every bench runs on a tiny corpus, and a second start gives the same answers', async (t) => {
  const corpus = await makeCorpus(temporaryFolder(t), 100);
  const options = { ...TINY, names: BENCH_NAMES, task: '' };
  const first = await runSuite(corpus, options);
  assert.deepEqual(first.map(({ bench }) => bench).sort(), BENCH_NAMES.toSorted());
  for (const { asks, name, rounds } of first.flatMap(({ tasks }) => tasks)) {
    assert.equal(rounds.length, 1);
    assert.ok(rounds[0].wall > 0 && rounds[0].user + rounds[0].system > 0, `${asks}, ${name}`);
  }
  const second = await runSuite(corpus, { ...options, names: ['stab'], task: 'semver' });
  const answersOf = (starts: typeof first) =>
    starts.flatMap(({ tasks }) => tasks.map(({ asks, name, answers }) => `${asks}, ${name}: ${answers}`));
  assert.ok(second[0].tasks.every(({ name }) => name.includes('semver')));
  for (const line of answersOf(second)) assert.ok(answersOf(first).includes(line), line);
  assert.match(report([first, first]), /^## lookup$/m);
});

test('different answers to the same questions end the run', async () => {
  await assert.rejects(measure([task('one', 'a'), task('other', 'b')], TINY), {
    message: /^the same: "other" answers [0-9a-f]{12}, "one" answers [0-9a-f]{12}$/,
  });
});

test('a task may say how long a run took, and one that throws ends the run', async () => {
  const long = { ...task('long', 'a'), questions: 2, run: () => ({ overriddenDuration: 3 }) };
  const [{ rounds }] = await measure([long], { roundMs: 7, rounds: 2 });
  assert.deepEqual(
    rounds.map(({ wall }) => wall),
    [1.5e6, 1.5e6], // ns a question
  );
  const failing = () => assert.fail('as it should');
  await assert.rejects(measure([{ ...long, run: failing }], TINY), { message: 'as it should' });
});

test('the table compares with the first that was asked the same, and marks what is inside the spread', () => {
  const timed = (name: string, wall: number): Timed => ({
    ...{ asks: 'the same', name, answers: 'ab' },
    rounds: [{ wall, user: wall / 2, system: 1 }],
  });
  const startsOf = (...walls: readonly number[]) =>
    tableOf(walls.map((wall) => [timed('ours', 160), timed('loop', wall)])).split('\n');
  const [head, , ours, loop] = startsOf(2000, 2010, 1990, 2000, 2000);
  assert.match(head, /median \| spread \| +user \| +system \| +x the first \| answers/);
  assert.match(ours, /^\| the same \| ours \| +160 ns \| +0 % \| 80\.0 ns \| 1\.00 ns \| +\| +ab \|$/);
  assert.match(
    loop,
    /^\| +\| loop \| 2\.00 us \| +1 % \| 1\.00 us \| 1\.00 ns \| +12\.5 \(12\.4 to 12\.6\) \| +ab \|$/,
  );
  assert.match(startsOf(170, 200, 150, 160, 170)[3], / ≈ 1\.06 \(0\.94 to 1\.25\) \|/);
});

test('the linear loop respects open ends and whether the upper bound is inclusive', () => {
  const compare = (a: number, b: number): number => a - b;
  const advisories: readonly LinearAdvisory<number>[] = [
    { id: 3, spans: [{ from: 5, to: null, holdsTo: false }] },
    { id: 2, spans: [{ from: null, to: 3, holdsTo: true }] },
    {
      id: 1,
      spans: [
        { from: 1, to: 3, holdsTo: false },
        { from: 7, to: 7, holdsTo: true },
      ],
    },
  ];
  const found = [0, 1, 3, 4, 7].map((version) =>
    advisories.filter((advisory) => applies(advisory, version, compare)).map(({ id }) => id),
  );
  assert.deepEqual(found, [[2], [2, 1], [2], [], [3, 1]]);
});
