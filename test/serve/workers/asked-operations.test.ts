import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { OperationsQuestion } from '../../../src/serve/messages.ts';
import { AskedOperations } from '../../../src/serve/workers/asked-operations.ts';

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: [number, OperationsQuestion][] = [];
  const operations = new AskedOperations((number, question) => asked.push([number, question]));
  return { operations, asked };
}

test('each question gets its own answer, in any order', async (t) => {
  const { operations, asked } = scene(t);
  const [now, history, order] = [
    operations.now(),
    operations.history(7),
    operations.order({ kind: 'reload' }),
  ];
  assert.deepEqual(asked, [
    [1, { kind: 'now' }],
    [2, { kind: 'history', sinceSeconds: 7 }],
    [3, { kind: 'order', order: { kind: 'reload' } }],
  ]);
  const refusal = { code: 'loader_stuck', detail: 'No.' } as const;
  operations.answered(3, refusal);
  operations.answered(2, '{}');
  operations.answered(1, undefined);
  assert.deepEqual(await Promise.all([now, history, order]), [undefined, '{}', refusal]);
});

test('a supervisor that hangs is waited for two seconds, and what it says then is ignored', async (t) => {
  const { operations } = scene(t);
  const [now, order] = [operations.now(), operations.order({ kind: 'reload' })];
  t.mock.timers.tick(2_000);
  assert.equal(await now, undefined);
  assert.equal((await order)?.code, 'overloaded');
  operations.answered(1, new Uint8Array());
});
