// The thread that makes files and lists of changes: which work it gets, and what happens when it dies or is
// overtaken.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type {
  FromPreparer,
  PostedGeneration,
  Prepared,
  PreparerData,
  ToPreparer,
} from '../../../src/serve/messages.ts';
import { KeptGenerations } from '../../../src/serve/snapshots/kept-generations.ts';
import { Preparer } from '../../../src/serve/snapshots/preparer.ts';
import { pluck } from '../../support/pluck.ts';
import { FakeThread } from '../../support/serving/fake-thread.ts';

type Work = Extract<ToPreparer, { kind: 'prepare' }>;

/** A thread that does what the test says. */
class StandIn extends FakeThread<PreparerData> {
  get works(): readonly Work[] {
    return (this.asked as readonly ToPreparer[]).filter((message) => message.kind === 'prepare');
  }

  get halted(): readonly boolean[] {
    return this.works.map(({ preparation: { halt } }) => halt[0] === 1);
  }

  /** As the answer to the last work, or another. */
  post(prepared: Prepared, { number }: Pick<Work, 'number'> = this.#last): void {
    this.emit('message', { number, prepared } satisfies FromPreparer);
  }

  changes(): void {
    for (const { previous, next } of this.#last.preparation.neighbours) {
      const [from, to] = [previous.parts.id, next.parts.id];
      this.post({ kind: 'changes', changes: { from, to, ids: [], tookMs: 0 } });
    }
  }

  files(work = this.#last): void {
    const snapshot = work.preparation.files?.parts.id ?? assert.fail('no files are wanted');
    this.post({ kind: 'files', files: { snapshot, files: [], bytes: 0, tookMs: 0 } }, work);
  }

  /** Each of its works in one text, as in `a>b b:osv`. */
  get wanted(): readonly string[] {
    return this.works.map(({ preparation: { neighbours, files } }) => {
      const pairs = neighbours.map(({ previous, next }) => `${previous.parts.id}>${next.parts.id}`);
      const { dialects } = this.data;
      return [...pairs, ...(files === undefined ? [] : [`${files.parts.id}:${dialects.join()}`])].join(' ');
    });
  }

  get #last(): Work {
    return this.works.at(-1) ?? assert.fail('nothing is wanted');
  }
}

function scene(t: TestContext, dialects: readonly string[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const threads: StandIn[] = [];
  const heard: string[] = [];
  const kept = new KeptGenerations<PostedGeneration>(1);
  const preparer = new Preparer({
    dialects,
    onChanges: (changes) => {
      kept.learn(changes);
      heard.push(`${changes.from}>${changes.to}`);
    },
    onFiles: ({ snapshot }) => heard.push(snapshot),
    onFinished: (failures) => heard.push(`finished without ${failures.map(({ what }) => what).join()}`),
    onFailure: ({ message }, backOffMs) => heard.push(`${message} ${backOffMs}`),
    start: (data) => {
      const thread = new StandIn(data);
      threads.push(thread);
      return thread;
    },
  });
  const publish = (id: string): void => {
    kept.publish({ parts: { id } } as PostedGeneration); // nothing else of it is looked at
    preparer.prepare(kept);
  };
  return { threads, heard, publish, preparer, tick: (ms: number) => t.mock.timers.tick(ms) };
}

test('files are made of each live generation, and changes against the one before, in one thread', (t) => {
  const { threads, heard, publish } = scene(t, ['osv', 'wpscan']);
  publish('a');
  threads[0].files();
  publish('b');
  threads[0].changes();
  threads[0].files();
  assert.deepEqual(pluck(threads, 'wanted'), [['a:osv,wpscan', 'a>b b:osv,wpscan']]);
  assert.deepEqual(heard, ['a', 'a>b', 'b']);
});

test('without a dialect that has files, a thread starts only for changes', (t) => {
  const { threads, publish } = scene(t, []);
  publish('a');
  assert.equal(threads.length, 0);
  publish('b');
  assert.deepEqual(pluck(threads, 'wanted'), [['a>b']]);
});

test('a newer generation ends the work on an older one, whose late messages are ignored', (t) => {
  const { threads, heard, publish } = scene(t, ['osv']);
  publish('a');
  publish('b');
  assert.deepEqual(threads[0].halted, [true, false]);
  threads[0].files(threads[0].works[0]);
  threads[0].files();
  assert.deepEqual(heard, ['b']);
});

test('a thread that dies is started again for what it did not finish, later each time', (t) => {
  const { threads, heard, publish, tick } = scene(t, ['osv']);
  publish('a');
  threads[0].files();
  publish('b');
  threads[0].changes();
  for (const [place, pauseMs] of [1_000, 2_000, 4_000].entries()) {
    threads[place].emit('error', new Error('out of memory'));
    threads[place].emit('exit', 1);
    tick(pauseMs - 1);
    assert.equal(threads.length, 1 + place);
    tick(1);
    assert.equal(threads.length, 2 + place);
    assert.deepEqual(threads[1 + place].wanted, ['b:osv']);
  }
  assert.equal(heard[2], 'out of memory 1000');
  threads[3].files();
  assert.equal(heard.at(-1), 'b');
});

test('one that has finished its work waits a second again, and begins with nothing', (t) => {
  const { threads, heard, publish, tick } = scene(t, ['osv']);
  publish('a');
  threads[0].emit('exit', 1);
  tick(1_000);
  threads[1].files();
  threads[1].post({ kind: 'finished', failures: [] });
  threads[1].emit('exit', 1);
  assert.equal(heard.at(-1), 'it ended without an error 1000');
  tick(1_000);
  assert.deepEqual(threads[2].wanted, []);
});

test('what cannot be made is not tried again before the next generation', (t) => {
  const { threads, heard, publish, tick } = scene(t, ['osv']);
  publish('a');
  publish('b');
  const failures = ['changes', 'osv'].map((what) => ({ what, reason: 'a bad record' }));
  threads[0].post({ kind: 'finished', failures });
  threads[0].emit('exit', 0);
  tick(100_000);
  assert.deepEqual(threads[1].wanted, []);
  assert.deepEqual(heard, ['finished without changes,osv', 'it ended without an error 1000']);
  publish('c');
  assert.deepEqual(threads[1].wanted, ['b>c c:osv']);
});

test('a generation that comes during a pause is prepared at once', (t) => {
  const { threads, publish, tick } = scene(t, ['osv']);
  publish('a');
  threads[0].emit('exit', 1);
  publish('b');
  assert.deepEqual(threads[1].wanted, ['a>b b:osv']);
  tick(100_000);
  assert.equal(threads.length, 2);
});

test('a stop halts the work and lasts until the thread has ended', async (t) => {
  const { threads, publish, preparer } = scene(t, ['osv']);
  publish('a');
  let hasStopped = false;
  const stopped = preparer.stop().then(() => {
    hasStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasStopped, false);
  assert.deepEqual(threads[0].halted, [true]);
  assert.deepEqual(threads[0].asked.at(-1), { kind: 'stop' });
  threads[0].emit('exit', 0);
  await stopped;
});

test('after a stop nothing is started', async (t) => {
  const { threads, publish, preparer, tick } = scene(t, ['osv']);
  publish('a');
  void preparer.stop();
  threads[0].emit('exit', 1);
  publish('b');
  tick(100_000);
  assert.equal(threads.length, 1);
  await preparer.stop();
});
