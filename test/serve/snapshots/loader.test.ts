// The supervisor's side of the loader: when it says that the thread is stuck, and that a real thread beats.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { LoaderInheritance } from '../../../src/serve/messages.ts';
import { Loader, type LoaderEvents, type StartLoader } from '../../../src/serve/snapshots/loader.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { builtProgram } from '../../support/process/built-program.ts';
import { until } from '../../support/until.ts';

const LOOK_MS = 10_000;
const NO_BEATS = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const NOTHING: LoaderInheritance = { inForce: undefined, rollBack: undefined };
const SILENT: LoaderEvents = { onMessage() {}, onFailure: assert.fail, onStuck() {}, onResumed() {} };

function open(t: TestContext, events: Partial<LoaderEvents>, start: StartLoader): Loader {
  const options = { folder: temporaryFolder(t), maxShrinkPercent: 100, maxSnapshotBytes: 1 << 20 };
  return new Loader(options, () => NOTHING, { ...SILENT, ...events }, start);
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
      return Object.assign(new EventEmitter(), { postMessage: () => {} });
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
