// A thread that is started again when it dies: when, and how it is ended.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { KeptThread } from '../../src/serve/kept-thread.ts';
import { isHeldInMemory } from '../support/held.ts';
import { pluck } from '../support/pluck.ts';
import { FakeThread } from '../support/serving/fake-thread.ts';

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const threads: FakeThread<number>[] = [];
  const heard: string[] = [];
  const failures: string[] = [];
  const kept = new KeptThread<string, string>({
    start: () => {
      const thread = new FakeThread(threads.length);
      threads.push(thread);
      return thread;
    },
    backOffMs: [1_000, 5_000],
    onMessage: (message) => heard.push(message),
    onFailure: ({ message }, backOffMs) => failures.push(`${message} ${backOffMs}`),
    isGood: (message) => message === 'works',
  });
  const die = (error?: Error): void => {
    if (error !== undefined) threads.at(-1)?.emit('error', error);
    threads.at(-1)?.emit('exit', 1);
  };
  return { kept, threads, heard, failures, die, tick: (ms: number) => t.mock.timers.tick(ms) };
}

test('a thread that dies is started again, later each time until it has shown that it works', (t) => {
  const { threads, heard, failures, die, tick } = scene(t);
  for (const [deaths, ms] of [1_000, 2_000, 4_000, 5_000, 5_000].entries()) {
    die();
    tick(ms - 1);
    assert.equal(threads.length, deaths + 1);
    tick(1);
    assert.equal(threads.length, deaths + 2);
  }
  threads[5].emit('message', 'something');
  threads[5].emit('message', 'works');
  die(new Error('broken'));
  assert.deepEqual(heard, ['something', 'works']);
  const silent = [1_000, 2_000, 4_000, 5_000, 5_000].map((ms) => `it ended without an error ${ms}`);
  assert.deepEqual(failures, [...silent, 'broken 1000']);
});

test('messages go to the thread that lives, and to nobody during a pause', (t) => {
  const { kept, threads, die, tick } = scene(t);
  assert.equal(kept.post('first'), true);
  die();
  assert.equal(kept.post('lost'), false);
  tick(1_000);
  assert.equal(kept.post('second'), true);
  assert.deepEqual(pluck(threads, 'asked'), [['first'], ['second']]);
});

test('a stop waits for the thread, and ends one that does not end', async (t) => {
  const { kept, threads, failures, tick } = scene(t);
  const stopped = kept.stop('stop', 2_000);
  tick(1_999);
  assert.deepEqual(threads[0].asked, ['stop']);
  tick(1);
  assert.equal(await stopped, true);
  assert.deepEqual(threads[0].asked, ['stop', 'terminate']);
  tick(60_000);
  assert.deepEqual([threads.length, failures], [1, []]);
});

test('a stop does not wait for a thread that not even an end from outside reaches', async (t) => {
  const { kept, threads, tick } = scene(t);
  threads[0].isHeld = true;
  const stopped = kept.stop('stop', 2_000);
  tick(2_000);
  tick(1_000);
  assert.equal(await stopped, false);
});

test('a stop during a pause ends at once, and nothing is started after it', async (t) => {
  const { kept, threads, die, tick } = scene(t);
  die();
  assert.equal(await kept.stop('stop', 2_000), true);
  tick(60_000);
  assert.equal(threads.length, 1);
});

test('one that is let go is told nothing, and its end is waited for', async (t) => {
  const { kept, threads, die } = scene(t);
  let hasEnded = false;
  const ended = kept.letGo().then(() => {
    hasEnded = true;
  });
  await Promise.resolve();
  assert.deepEqual([threads[0].asked, hasEnded], [[], false]);
  die();
  await ended;
});

/** Its method is among the callers of the thread's start. */
class Starter {
  keep(): KeptThread<string, string> {
    const start = (): FakeThread<number> => new FakeThread(0);
    return new KeptThread({ start, backOffMs: [1, 1], onMessage: () => {}, onFailure: () => {} });
  }
}

function keepOne(): { readonly kept: KeptThread<string, string>; readonly starter: WeakRef<Starter> } {
  const starter = new Starter();
  return { kept: starter.keep(), starter: new WeakRef(starter) };
}

test('a thread that is kept does not hold what its starter had in hand', async () => {
  const { kept, starter } = keepOne();
  assert.equal(await isHeldInMemory(starter), false);
  assert.equal(kept.post('still there'), true);
});
