// Pipelines without sockets: what a turn answers, and when a connection is too many.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MOST_PIPELINED,
  PipelineGuard,
  PipelineTurns,
  SAMPLE_REQUESTS,
  TURN_REQUESTS,
} from '../../../src/http/transport/pipelines.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a turn answers so many, and connections take turns', async () => {
  const turns = new PipelineTurns();
  const answered: string[] = [];
  const ask = (connection: string, left: number): void => {
    turns.take(() => {
      answered.push(connection);
      if (left > 1) queueMicrotask(() => ask(connection, left - 1));
    });
  };
  ask('a', 300);
  await nextTurn();
  assert.ok(answered.length <= 2 * TURN_REQUESTS, String(answered.length));
  ask('b', 10);
  const before = answered.length;
  let most = 0;
  while (answered.length < 310) {
    const count = answered.length;
    await nextTurn();
    most = Math.max(most, answered.length - count);
  }
  assert.ok(most <= TURN_REQUESTS, String(most));
  assert.ok(answered.lastIndexOf('b') - before <= 22, 'b has every other answer');
  turns.close();
});

/** How many requests pass until one is too many, or undefined. */
function passed(
  guard: PipelineGuard,
  address: string,
  connections: number,
  most = 20_000,
): number | undefined {
  for (let count = 1; count <= most; count++) {
    if (guard.isSample() && guard.isTooMany(address, connections)) return count;
  }
  return undefined;
}

test('more than all connections may send in one turn is too many, and then every sample is', () => {
  for (const connections of [1, 100]) {
    const guard = new PipelineGuard();
    const cut = passed(guard, 'a', connections) ?? 0;
    const most = MOST_PIPELINED * connections;
    assert.ok(cut > most && cut <= most + 2 * SAMPLE_REQUESTS, `${cut} with ${connections} connections`);
    assert.equal(passed(guard, 'a', connections), SAMPLE_REQUESTS);
    assert.equal(passed(guard, 'b', connections, most), undefined, 'another address');
  }
});

test('what clients may pipeline in each turn is none too many over several turns', async () => {
  const guard = new PipelineGuard();
  for (let turn = 0; turn < 20; turn++) {
    assert.equal(passed(guard, 'a', 3, 3 * MOST_PIPELINED), undefined);
    await nextTurn();
  }
});
