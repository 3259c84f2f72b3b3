import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocateOrderGate, OrderGate } from '../../../../src/serve/operations/orders/order-gate.ts';

test('one order a second is admitted over all threads, and one after the clock was set back', () => {
  const memory = allocateOrderGate();
  const [one, other] = [new OrderGate(memory), new OrderGate(memory)];
  const startMs = Date.UTC(2026, 0, 1);
  assert.ok(one.admit(startMs));
  assert.ok(!other.admit(startMs));
  assert.ok(!one.admit(startMs + 999));
  assert.ok(other.admit(startMs + 1_000));
  assert.ok(!one.admit(startMs + 1_001));
  assert.ok(one.admit(startMs - 60_000));
});
