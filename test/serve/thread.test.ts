import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  collectGarbage,
  collectGarbageAtLast,
  collectGarbageInTurn,
  collectGarbageSoon,
} from '../../src/serve/thread.ts';

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
