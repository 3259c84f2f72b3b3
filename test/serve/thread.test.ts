import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  beginCollection,
  collectGarbage,
  collectGarbageAtLast,
  collectGarbageInTurn,
  collectGarbageSoon,
} from '../../src/serve/thread.ts';
import { until } from '../support/until.ts';

const whenFreed = new FinalizationRegistry<() => void>((tell) => tell());

test('a series of refusals in one scan ends in one garbage collection', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let collections = 0;
  const refuse = (): void => collectGarbageSoon(() => collections++);
  for (let file = 0; file < 50; file++) refuse();
  assert.equal(collections, 0, 'the callers still hold what they have read');
  t.mock.timers.tick(1_000);
  assert.equal(collections, 1);
  refuse(); // and the next series in another
  refuse();
  t.mock.timers.tick(1_000);
  assert.equal(collections, 2);
});

test('a collection frees what nobody holds', async () => {
  const freed = new WeakRef({});
  // Until the end of this turn a WeakRef holds its target itself.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  assert.equal(freed.deref(), undefined);
});

test('a collection that is due soon is a real one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const freed = new WeakRef({});
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbageSoon();
  t.mock.timers.tick(1_000);
  assert.equal(freed.deref(), undefined);
});

test('a collection that was begun frees what nobody holds, and is not followed by a forced one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isFreed = false;
  whenFreed.register({}, () => {
    isFreed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  let forced = 0;
  beginCollection(() => forced++);
  await until('it is freed', () => isFreed);
  t.mock.timers.tick(60_000);
  assert.equal(forced, 0);
});

test('without the memory to begin a collection it is forced', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let refused = 0;
  class WithoutMemory {
    constructor() {
      refused++;
      throw new RangeError('Array buffer allocation failed');
    }
  }
  t.mock.method(globalThis, 'ArrayBuffer', WithoutMemory as never);
  let forced = 0;
  beginCollection(() => forced++);
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(60_000);
  assert.deepEqual({ refused, forced }, { refused: 1, forced: 1 });
});

test('after a swap, the threads of eight workers collect one after another, and the supervisor after them all', (t) => {
  const delays: number[] = [];
  t.mock.method(globalThis, 'setTimeout', (_: () => void, delayMs: number) => {
    delays.push(delayMs);
    return { unref: () => {} };
  });
  for (let worker = 0; worker < 8; worker++) collectGarbageInTurn(worker);
  collectGarbageAtLast();
  assert.deepEqual(delays, [150, 300, 450, 600, 750, 900, 1050, 1200, 1350]);
});
