// The supervisor's side of the loader: when it says that the thread is stuck, and that a real thread beats.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { LoaderInheritance } from '../../../src/serve/messages.ts';
import { Loader, type LoaderEvents, type StartLoader } from '../../../src/serve/snapshots/loader.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { pluck } from '../../support/pluck.ts';
import { builtProgram } from '../../support/process/built-program.ts';
import { FakeThread } from '../../support/serving/fake-thread.ts';
import { until } from '../../support/until.ts';

const LOOK_MS = 10_000;
const NO_BEATS = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const NOTHING: LoaderInheritance = { inForce: undefined, rollBack: undefined };
const SILENT: LoaderEvents = { onMessage() {}, onFailure: assert.fail, onStuck() {}, onResumed() {} };

const OPTIONS = {
  folder: 'nowhere',
  maxShrinkPercent: 100,
  maxVerdictChangePercent: 100,
  maxSnapshotBytes: 1 << 20,
};

function open(t: TestContext, events: Partial<LoaderEvents>, start: StartLoader): Loader {
  const options = { ...OPTIONS, folder: temporaryFolder(t) };
  const loader = new Loader(options, start);
  loader.follow(() => NOTHING, { ...SILENT, ...events });
  return loader;
}

test('a thread whose loop has not turned for two minutes is stuck, until it beats again', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const told: string[] = [];
  let beats = NO_BEATS;
  const loader = open(
    t,
    { onStuck: () => told.push('stuck'), onResumed: () => told.push('resumed') },
    ({ beat }) => {
      beats = new Int32Array(beat);
      return new FakeThread(undefined);
    },
  );
  const look = (times: number, isAlive: boolean): void => {
    for (let i = 0; i < times; i++) {
      if (isAlive) beats[0]++;
      t.mock.timers.tick(LOOK_MS);
    }
  };
  look(30, true);
  look(11, false);
  assert.deepEqual([told, loader.isStuck], [[], false]);
  look(2, false);
  assert.deepEqual([told, loader.isStuck], [['stuck'], true]);
  look(20, false);
  look(1, true);
  assert.deepEqual([told, loader.isStuck], [['stuck', 'resumed'], false]);
  loader.stop();
});

test('what a thread posts before anyone follows it is told in its order, and then at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const threads: FakeThread[] = [];
  const loader = new Loader(OPTIONS, () => {
    threads.push(new FakeThread(undefined));
    return threads[threads.length - 1];
  });
  const told: unknown[] = [];
  threads[0].emit('message', { kind: 'scanned' });
  threads[0].emit('error', new Error('died'));
  threads[0].emit('exit', 1);
  t.mock.timers.tick(1_000);
  threads[1].emit('message', { kind: 'listed' });
  loader.follow(() => NOTHING, {
    ...SILENT,
    onMessage: ({ kind }) => told.push(kind),
    onFailure: ({ message }) => told.push(message),
  });
  assert.deepEqual(told, ['scanned', 'died', 'listed']);
  threads[1].emit('message', { kind: 'scanned' });
  assert.deepEqual(told.slice(3), ['scanned']);
  loader.stop();
});

test('a thread that died before anyone followed it starts again with nothing, later ones with what is live', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const threads: FakeThread[] = [];
  const inherited: unknown[] = [];
  const loader = new Loader(OPTIONS, ({ rollBack }) => {
    inherited.push(rollBack);
    const thread = new FakeThread(undefined);
    threads.push(thread);
    return thread;
  });
  const rollBack = { from: 1 } as unknown as NonNullable<LoaderInheritance['rollBack']>;
  const die = (): void => {
    threads.at(-1)?.emit('exit', 1);
    t.mock.timers.tick(1_000);
  };
  die();
  loader.follow(() => ({ inForce: undefined, rollBack }), { ...SILENT, onFailure() {} });
  die();
  assert.deepEqual(inherited, [undefined, undefined, rollBack]);
  loader.stop();
});

test('an abandoned thread is ended in the middle of its load, and no other takes its place', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const threads: FakeThread[] = [];
  const loader = new Loader(OPTIONS, () => {
    const thread = new FakeThread(undefined);
    threads.push(thread);
    return thread;
  });
  loader.abandon();
  t.mock.timers.tick(10_000);
  assert.deepEqual(pluck(threads, 'asked'), [['terminate']]);
});

test('the loader thread beats while it has nothing to do', async (t) => {
  let beats = NO_BEATS;
  const file = join(dirname(builtProgram()), 'serve', 'snapshots', 'loader-thread.js');
  const threads: Worker[] = [];
  const loader = open(t, {}, (data) => {
    beats = new Int32Array(data.beat);
    const thread = new Worker(file, { workerData: data });
    threads.push(thread);
    return thread;
  });
  await until('a beat', () => Atomics.load(beats, 0) > 0);
  const ended = once(threads[0], 'exit');
  loader.stop();
  await ended;
});
