// Orders to the process: which make sense, and what becomes of those that are taken.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order, OrderRefusal } from '../../../../src/http/operations-view.ts';
import {
  type OrderableFolder,
  Orders,
  type OrdersOptions,
} from '../../../../src/serve/operations/orders/orders.ts';

const RELOAD: Order = { kind: 'reload' };
const FOLDER: OrderableFolder = {
  listed: [
    { file: 'new.vdx', id: 'b' },
    { file: 'old.vdx', id: 'a' },
  ],
  liveId: 'b',
  isRolledBack: false,
};

function scene(folder: OrderableFolder = FOLDER) {
  const passed: [number, Order][] = [];
  let changes = 0;
  let nowMs = 5_000_000;
  const log = { info: () => {}, warn: () => {} } as unknown as OrdersOptions['log']; // it has more overloads
  const orders = new Orders({
    folder: () => folder,
    pass: (number, order) => passed.push([number, order]),
    onChanged: () => {
      changes++;
    },
    log,
    patienceMs: 10_000,
    nowMs: () => nowMs,
  });
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { orders, passed, changes: () => changes, wait };
}

const codeOf = (refusal: OrderRefusal | undefined): string | undefined => refusal?.code;

test('a roll-back needs a file of the folder that is not live', () => {
  const code = (file: string): string | undefined => codeOf(scene().orders.take({ kind: 'roll-back', file }));
  assert.deepEqual(['old.vdx', 'new.vdx', 'none.vdx'].map(code), [undefined, 'already_live', 'unknown_file']);
});

test('a roll-forward needs a roll-back, a reload nothing, and each of them that the folder was listed', () => {
  const forward: Order = { kind: 'roll-forward' };
  assert.equal(codeOf(scene().orders.take(forward)), 'not_rolled_back');
  assert.equal(scene({ ...FOLDER, isRolledBack: true }).orders.take(forward), undefined);
  assert.equal(scene({ listed: [], liveId: undefined, isRolledBack: false }).orders.take(RELOAD), undefined);
  const unlisted = new Orders({
    folder: () => undefined,
    pass: assert.fail,
    onChanged: assert.fail,
    log: { info: assert.fail, warn: assert.fail } as unknown as OrdersOptions['log'],
  });
  assert.equal(codeOf(unlisted.take(RELOAD)), 'preparing');
});

test('an order is passed on, pending until its outcome, and then done', async () => {
  const { orders, passed, changes } = scene();
  const taken = orders.carriedOut(RELOAD);
  assert.deepEqual(passed, [[1, RELOAD]]);
  assert.equal(orders.last?.outcome, 'pending');
  orders.finished(1, { outcome: 'done', detail: 'x is live' });
  assert.equal(await taken, undefined);
  const { kind, outcome, detail } = orders.last ?? {};
  assert.deepEqual([kind, outcome, detail, changes()], ['reload', 'done', 'x is live', 2]);
});

test('what could not be carried out is a refusal with the reason', async () => {
  const { orders } = scene();
  const taken = orders.carriedOut(RELOAD);
  orders.finished(1, { outcome: 'failed', detail: 'read-only' });
  assert.deepEqual(await taken, { code: 'order_failed', detail: 'read-only' });
  assert.equal(orders.last?.outcome, 'failed');
});

test('at most one order a second is taken, and one that makes no sense does not count', () => {
  const { orders, passed, wait } = scene();
  assert.equal(codeOf(orders.take({ kind: 'roll-forward' })), 'not_rolled_back');
  assert.equal(orders.take(RELOAD), undefined);
  orders.finished(1, { outcome: 'done', detail: '' });
  assert.equal(codeOf(orders.take(RELOAD)), 'too_many_orders');
  wait(1_000);
  assert.equal(orders.take(RELOAD), undefined);
  orders.finished(2, { outcome: 'done', detail: '' });
  wait(-60_000);
  assert.equal(orders.take(RELOAD), undefined, 'a clock that was set back');
  assert.equal(passed.length, 3);
});

test('a second order meanwhile is refused and not passed on, and a late outcome of another is ignored', async () => {
  const { orders, passed, wait } = scene();
  const first = orders.carriedOut(RELOAD);
  wait(5_000);
  assert.equal(codeOf(orders.take({ kind: 'roll-forward' })), 'too_many_orders');
  assert.equal(passed.length, 1);
  orders.finished(7, { outcome: 'done', detail: '' });
  assert.equal(orders.last?.outcome, 'pending');
  orders.finished(1, { outcome: 'done', detail: '' });
  assert.equal(await first, undefined);
});

test('an order outlives the patience of who waits for it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { orders } = scene();
  const taken = orders.carriedOut(RELOAD);
  t.mock.timers.tick(10_000);
  assert.equal(await taken, undefined);
  assert.equal(orders.last?.outcome, 'pending');
  orders.finished(1, { outcome: 'failed', detail: 'late' });
  assert.equal(orders.last?.detail, 'late');
});

test('an order whose loader died has failed, and the next one is taken', async () => {
  const { orders, passed, wait } = scene();
  const taken = orders.carriedOut(RELOAD);
  orders.lost();
  assert.equal((await taken)?.code, 'order_failed');
  orders.lost(); // nothing is under way
  wait(1_000);
  assert.equal(orders.take(RELOAD), undefined);
  assert.equal(passed.length, 2);
});

test('a stuck loader fails the order under way, and later ones are refused until it answers', async () => {
  const { orders, wait } = scene();
  const taken = orders.carriedOut(RELOAD);
  orders.stuck();
  assert.equal((await taken)?.code, 'order_failed');
  wait(1_000);
  assert.equal(codeOf(orders.take(RELOAD)), 'loader_stuck');
  orders.resumed();
  orders.finished(1, { outcome: 'done', detail: 'x is live' });
  assert.equal(orders.last?.outcome, 'done', 'it was followed after all');
  assert.equal(orders.take(RELOAD), undefined);
});
