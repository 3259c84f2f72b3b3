import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order } from '../../../../src/http/operations-view.ts';
import { Orders, type OrdersOptions } from '../../../../src/serve/operations/orders/orders.ts';

function scene(more: Partial<OrdersOptions> = {}) {
  const passed: [number, Order][] = [];
  let changes = 0;
  const log = { info: () => {}, warn: () => {} } as unknown as OrdersOptions['log']; // it has more overloads
  const orders = new Orders({
    pass: (number, order) => passed.push([number, order]),
    onChanged: () => {
      changes++;
    },
    log,
    ...more,
  });
  return { orders, passed, changes: () => changes };
}

const RELOAD: Order = { kind: 'reload' };

test('an order is passed on, pending until its outcome, and then done', async () => {
  const { orders, passed, changes } = scene();
  assert.deepEqual([orders.last], [undefined]);
  const taken = orders.take(RELOAD);
  assert.deepEqual(passed, [[1, RELOAD]]);
  assert.equal(orders.last?.outcome, 'pending');
  orders.finished(1, { outcome: 'done', detail: 'x is live' });
  assert.equal(await taken, undefined);
  assert.deepEqual(
    [orders.last?.kind, orders.last?.outcome, orders.last?.detail],
    ['reload', 'done', 'x is live'],
  );
  assert.equal(changes(), 2);
});

test('what could not be carried out is a refusal with the reason', async () => {
  const { orders } = scene();
  const taken = orders.take(RELOAD);
  orders.finished(1, { outcome: 'failed', detail: 'read-only' });
  assert.deepEqual(await taken, { code: 'order_failed', detail: 'read-only' });
  assert.equal(orders.last?.outcome, 'failed');
});

test('a second order meanwhile is refused and not passed on, and a late outcome of another is ignored', async () => {
  const { orders, passed } = scene();
  const first = orders.take(RELOAD);
  assert.equal((await orders.take({ kind: 'roll-forward' }))?.code, 'too_many_orders');
  assert.equal(passed.length, 1);
  orders.finished(7, { outcome: 'done', detail: '' });
  assert.equal(orders.last?.outcome, 'pending');
  orders.finished(1, { outcome: 'done', detail: '' });
  assert.equal(await first, undefined);
});

test('an order outlives the patience of who waits for it', async () => {
  const { orders } = scene({ patienceMs: 1 });
  assert.equal(await orders.take(RELOAD), undefined);
  assert.equal(orders.last?.outcome, 'pending');
  orders.finished(1, { outcome: 'failed', detail: 'late' });
  assert.equal(orders.last?.detail, 'late');
});

test('an order whose loader died has failed, and the next one is taken', async () => {
  const { orders, passed } = scene();
  const taken = orders.take(RELOAD);
  orders.lost();
  assert.equal((await taken)?.code, 'order_failed');
  orders.lost(); // nothing is under way
  void orders.take(RELOAD);
  assert.equal(passed.length, 2);
  orders.finished(2, { outcome: 'done', detail: '' });
});

test('a stuck loader fails the order under way, and later ones are refused until it answers', async () => {
  const { orders, passed } = scene();
  const taken = orders.take(RELOAD);
  orders.stuck();
  assert.equal((await taken)?.code, 'order_failed');
  assert.equal(orders.last?.outcome, 'failed');
  assert.equal((await orders.take(RELOAD))?.code, 'loader_stuck');
  orders.resumed();
  orders.finished(1, { outcome: 'done', detail: 'x is live' });
  assert.equal(orders.last?.outcome, 'done', 'it was followed after all');
  void orders.take(RELOAD);
  assert.equal(passed.length, 2);
  orders.finished(2, { outcome: 'done', detail: '' });
});
