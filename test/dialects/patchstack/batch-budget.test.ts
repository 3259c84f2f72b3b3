// Which items are answered, copied and refused, without a server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_OUTPUT_BYTES } from '../../../src/dialects/batch-request.ts';
import { BatchBudget } from '../../../src/dialects/patchstack/batch-budget.ts';
import type { Lookup } from '../../../src/index/lookup/lookup.ts';
import { AnswerBuffer } from '../../../src/index/memory/answer-buffer.ts';

const item = (name: string, version = '1.0'): Lookup => ({ type: 'plugin', name, version });

/** A budget whose items have answers of given sizes; `made` records which were assembled. */
function budgetOf(sizes: Readonly<Record<string, number>>, withDetails = true) {
  const out = new AnswerBuffer();
  const budget = new BatchBudget(out, withDetails);
  const made: string[] = [];
  const spend = (name: string, version?: string): boolean =>
    budget.spend(item(name, version), () => {
      made.push(name);
      for (let left = sizes[name] ?? 1; left > 0; left -= 65_536) {
        out.piece(new Uint8Array(Math.min(left, 65_536)).fill(name.charCodeAt(0)));
      }
    });
  return { out, made, spend };
}

test('equal items are answered once and copied', () => {
  const { out, made, spend } = budgetOf({ a: 300_000, b: 10 });
  for (const name of ['a', 'b', 'a', 'b', 'a']) assert.ok(spend(name));
  assert.deepEqual(made, ['a', 'b']);
  const [a, b] = ['a'.repeat(300_000), 'b'.repeat(10)];
  assert.ok(Buffer.from(out.view()).equals(Buffer.from(a + b + a + b + a)));
});

test('without details a short answer is made again, because remembering it would cost as much', () => {
  const { made, spend } = budgetOf({ a: 300_000, b: 10 }, false);
  for (const name of ['a', 'b', 'a', 'b']) assert.ok(spend(name));
  assert.deepEqual(made, ['a', 'b', 'b']);
});

test('items that differ in type, name or version are not equal', () => {
  const { made, spend } = budgetOf({});
  assert.ok(spend('a', '1.0') && spend('a', '1.0.0') && spend('b', '1.0'));
  assert.deepEqual(made, ['a', 'a', 'b']);
});

test('an item that does not fit leaves no trace, and items that do fit are still answered', () => {
  const { out, spend } = budgetOf({ a: MAX_OUTPUT_BYTES - 100, b: 101, c: 100 });
  assert.ok(spend('a'));
  assert.equal(spend('b'), false);
  assert.equal(out.length, MAX_OUTPUT_BYTES - 100);
  assert.ok(spend('c'));
  assert.equal(spend('a'), false);
  assert.equal(out.length, MAX_OUTPUT_BYTES);
});

test('one item larger than the whole budget costs the others nothing', () => {
  const { out, spend } = budgetOf({ huge: 30_000_000, a: MAX_OUTPUT_BYTES });
  assert.equal(spend('huge'), false);
  assert.ok(out.capacity <= MAX_OUTPUT_BYTES + 1_000_000, 'it is cut off where it passes the budget');
  assert.ok(spend('a'));
});

test('when more than the budget was dropped, nothing new is tried', () => {
  const { made, spend } = budgetOf({ a: 5, h: 30_000_000, i: 30_000_000, j: 30_000_000, k: 1 });
  assert.ok(spend('a'));
  for (const name of ['h', 'i', 'j', 'k']) assert.equal(spend(name), false);
  assert.deepEqual(made, ['a', 'h', 'i'], 'the work for a batch is bounded');
  assert.ok(spend('a'), 'a copy is no work');
});

test('an error of the writer is not mistaken for a lack of space', () => {
  const budget = new BatchBudget(new AnswerBuffer(), true);
  const broken = (): void => {
    throw new TypeError('a fault');
  };
  assert.throws(() => budget.spend(item('a'), broken), { name: 'TypeError' });
});
