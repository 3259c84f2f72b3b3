import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order } from '../../../../src/http/operations-view.ts';
import type { OperationsDocument } from '../../../../src/serve/operations/document.ts';
import { checkOrder } from '../../../../src/serve/operations/orders/check-order.ts';

const KNOWN = {
  snapshots: [
    { file: 'new.vdx', live: true },
    { file: 'old.vdx', live: false },
  ],
  roll_back: null,
  last_order: null,
  conditions: [],
} satisfies OperationsDocument;

function codeOf(order: Order, changes: Partial<OperationsDocument> = {}): string | undefined {
  return checkOrder(order, { ...KNOWN, ...changes })?.code;
}

test('a roll-back needs a file of the folder that is not live', () => {
  assert.equal(codeOf({ kind: 'roll-back', file: 'old.vdx' }), undefined);
  assert.equal(codeOf({ kind: 'roll-back', file: 'new.vdx' }), 'already_live');
  assert.equal(codeOf({ kind: 'roll-back', file: 'none.vdx' }), 'unknown_file');
});

test('a roll-forward needs a roll-back, and a reload nothing', () => {
  assert.equal(codeOf({ kind: 'roll-forward' }), 'not_rolled_back');
  assert.equal(codeOf({ kind: 'roll-forward' }, { roll_back: {} }), undefined);
  assert.equal(codeOf({ kind: 'reload' }), undefined);
});

test('while an order is being carried out there is no other', () => {
  const pending = { last_order: { order: 'reload', outcome: 'pending' } } as const;
  assert.equal(codeOf({ kind: 'reload' }, pending), 'too_many_orders');
  const done = { last_order: { order: 'reload', outcome: 'done' } } as const;
  assert.equal(codeOf({ kind: 'reload' }, done), undefined);
});

test('no order is passed on to a loader that does not answer', () => {
  const conditions = [{ condition: 'loader_stuck' }] as const;
  assert.equal(codeOf({ kind: 'reload' }, { conditions }), 'loader_stuck');
});
