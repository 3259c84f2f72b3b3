import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order } from '../../../src/http/operations-view.ts';
import { Board } from '../../../src/serve/operations/board.ts';
import { allocateOperations } from '../../../src/serve/operations/memory.ts';
import { OperationsReader } from '../../../src/serve/operations/reader.ts';

const ROLL_BACK: Order = { kind: 'roll-back', file: 'old.vdx' };
const DOCUMENT = {
  snapshots: [{ file: 'old.vdx', live: false }],
  roll_back: null,
  last_order: null,
  conditions: [],
};

test('before the supervisor wrote anything there is nothing to show, and no order is taken', () => {
  const reader = new OperationsReader(allocateOperations(1), () => assert.fail());
  assert.deepEqual([reader.now(), reader.history(0)], [undefined, undefined]);
  assert.equal(reader.order({ kind: 'reload' })?.code, 'preparing');
});

test('an order that makes sense is passed on, one a second over all threads; another is not, and does not count', () => {
  const memory = allocateOperations(2);
  new Board(memory.board).write(Buffer.from(JSON.stringify(DOCUMENT)));
  const passed: Order[] = [];
  let nowMs = 5_000_000;
  const readers = [0, 1].map(
    () =>
      new OperationsReader(
        memory,
        (order) => passed.push(order),
        () => nowMs,
      ),
  );
  assert.equal(readers[0].order({ kind: 'roll-forward' })?.code, 'not_rolled_back');
  assert.equal(readers[0].order(ROLL_BACK), undefined);
  assert.equal(readers[1].order(ROLL_BACK)?.code, 'too_many_orders');
  nowMs += 1_000;
  assert.equal(readers[1].admit({ kind: 'reload' }), undefined);
  nowMs += 1_000;
  assert.equal(readers[1].order({ kind: 'reload' }), undefined);
  assert.deepEqual(passed, [ROLL_BACK, { kind: 'reload' }], 'what was only admitted was not passed on');
  assert.deepEqual(JSON.parse(Buffer.from(readers[1].now() ?? []).toString()), DOCUMENT);
});

test('orders that are refused are checked against a document that is parsed once for as long as it stays the same', (t) => {
  const memory = allocateOperations(1);
  const board = new Board(memory.board);
  const reader = new OperationsReader(memory, () => {});
  board.write(Buffer.from(JSON.stringify(DOCUMENT)));
  const parse = t.mock.method(JSON, 'parse');
  for (let i = 0; i < 5; i++) assert.equal(reader.order({ kind: 'roll-forward' })?.code, 'not_rolled_back');
  assert.equal(parse.mock.callCount(), 1);
  board.write(Buffer.from(JSON.stringify({ ...DOCUMENT, roll_back: {} })));
  assert.equal(reader.order({ kind: 'roll-forward' }), undefined);
  assert.equal(parse.mock.callCount(), 2);
});
