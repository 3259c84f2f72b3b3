// Whose work is done when, under a clock that the test moves: each step of a work takes a millisecond.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Reply, textReply } from '../../../src/http/replies/responses.ts';
import { settled } from '../../../src/http/work/steps.ts';
import { type Ticket, type Work, WorkQueue } from '../../../src/http/work/work-queue.ts';

const TURN_MS = 5;
const LIMITS = { maxWaiting: 3, maxWaitMs: 100 };

function reply(body: string): Reply {
  return textReply(
    { kind: 'text', contentType: 'text/plain', body },
    { id: '', label: 'batch', keyId: undefined },
  );
}

function scene(t: TestContext) {
  let nowMs = 0;
  const queue = new WorkQueue(TURN_MS, LIMITS, () => nowMs);
  t.after(() => queue.close());
  const done: string[] = [];
  const work = (caller: string, name: string, steps: number): Work => ({
    kind: 'work',
    caller,
    *steps() {
      try {
        for (let step = 1; step < steps; step++) {
          nowMs++;
          yield;
        }
        nowMs++;
        return reply(name);
      } finally {
        done.push(`end of ${name}`);
      }
    },
    refuse: () => reply(`${name} refused`),
    tooLate: () => reply(`${name} too late`),
  });
  const add = (caller: string, name: string, steps: number): Ticket =>
    queue.add(work(caller, name, steps), ({ body }) => done.push(String(body)));
  return {
    queue,
    add,
    /** What was done since the last call. */
    done: () => done.splice(0).filter((line) => !line.startsWith('end of')),
    ended: () => done.splice(0).filter((line) => line.startsWith('end of')),
    /** Immediates that were set before have run. */
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('work that fits into a turn is done at once, and turns share their time among works', async (t) => {
  const { add, done, turn } = scene(t);
  add('a', 'first', 2);
  add('a', 'second', 2);
  assert.deepEqual(done(), ['first', 'second']);
  add('a', 'third', 2);
  assert.deepEqual(done(), [], 'one step was left');
  await turn();
  assert.deepEqual(done(), ['third']);
});

test('a long work takes several turns', async (t) => {
  const { add, done, turn } = scene(t);
  add('a', 'long', 13);
  await turn();
  assert.deepEqual(done(), []);
  await turn();
  assert.deepEqual(done(), ['long']);
});

test('one work is finished before the next is begun, and callers take turns', async (t) => {
  const { add, done, turn } = scene(t);
  add('a', 'a1', 7);
  add('a', 'a2', 1);
  add('a', 'a3', 1);
  add('b', 'b1', 1);
  add('b', 'b2', 1);
  for (let i = 0; i < 3; i++) await turn();
  assert.deepEqual(done(), ['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('of one caller only so many wait; another has places of its own', async (t) => {
  const { add, done, turn } = scene(t);
  add('a', 'a1', 50);
  for (const name of ['a2', 'a3', 'a4', 'a5']) add('a', name, 1);
  assert.deepEqual(done(), ['a5 refused']);
  add('b', 'b1', 1);
  for (let i = 0; i < 12; i++) await turn();
  assert.deepEqual(done(), ['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('what has waited too long is refused in its turn', async (t) => {
  const { add, done, turn, pass } = scene(t);
  add('a', 'a1', 6);
  add('a', 'a2', 1);
  pass(200);
  await turn();
  assert.deepEqual(done(), ['a1', 'a2 too late']);
});

test('work for a client that is gone is not begun, or ended where it is, and not replied to', async (t) => {
  const { add, done, ended, turn } = scene(t);
  const first = add('a', 'a1', 50);
  const second = add('a', 'a2', 1);
  add('a', 'a3', 1);
  first.cancel();
  second.cancel();
  first.cancel();
  assert.deepEqual(ended(), ['end of a1']);
  await turn();
  assert.deepEqual(done(), ['a3']);
});

test('work that is cancelled in the middle of a step is ended after it', async (t) => {
  const { queue, turn, pass } = scene(t);
  const told: string[] = [];
  let ticket: Ticket | undefined;
  const work: Work = {
    kind: 'work',
    caller: 'a',
    *steps() {
      try {
        pass(TURN_MS);
        yield;
        ticket?.cancel();
        told.push('cancelled');
        yield;
        return reply('never');
      } finally {
        told.push('ended');
      }
    },
    refuse: () => reply('never'),
    tooLate: () => reply('never'),
  };
  ticket = queue.add(work, () => told.push('replied to'));
  await turn();
  assert.deepEqual(told, ['cancelled', 'ended']);
});

test('a queue that is closed does nothing more', async (t) => {
  const { queue, add, done, turn } = scene(t);
  add('a', 'a1', 50);
  add('a', 'a2', 1);
  queue.close();
  await turn();
  assert.deepEqual(done(), []);
});

test('while a work waits for a promise others have their turn; it goes on with what that brings, unless its client is gone', async (t) => {
  const { queue, add, done, turn } = scene(t);
  const told: string[] = [];
  const waiting = (promise: Promise<string>): Work => ({
    kind: 'work',
    caller: 'a',
    *steps() {
      try {
        return reply(yield* settled(promise));
      } catch (error) {
        return reply(`failed: ${(error as Error).message}`);
      }
    },
    refuse: () => reply('never'),
    tooLate: () => reply('never'),
  });
  let tell = (_: string): void => assert.fail();
  let fail = (_: Error): void => assert.fail();
  const answered = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const failed = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const send = ({ body }: Reply): void => void told.push(String(body));
  queue.add(waiting(answered), send);
  queue.add(waiting(answered), send).cancel();
  queue.add(waiting(failed), send);
  add('a', 'other', 1);
  assert.deepEqual([told, done()], [[], ['other']]);
  tell('arrived');
  fail(new Error('lost'));
  await turn();
  await turn();
  assert.deepEqual(told, ['arrived', 'failed: lost']);
});
