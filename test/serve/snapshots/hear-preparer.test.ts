// What the supervisor makes of the preparer's reports: a state with a name for what cannot be made.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conditions } from '../../../src/serve/conditions.ts';
import { preparerEvents } from '../../../src/serve/snapshots/hear-preparer.ts';

function scene() {
  const lines: string[] = [];
  const log = {
    info: (_: object, text: string) => lines.push(text),
    error: (_: object, text: string) => lines.push(text),
    // A logger's methods have more overloads than are used here.
  } as unknown as ConstructorParameters<typeof Conditions>[0];
  const conditions = new Conditions(log);
  let deaths = 0;
  const events = preparerEvents({
    pool: { tellChanges: () => {}, setFiles: () => {} },
    record: { prepared: () => {} },
    metrics: { preparerFailed: () => deaths++ },
    conditions,
    log,
  });
  const active = () =>
    conditions.active.map(({ name, answered, reason }) => `${name}: ${reason}; ${answered}`);
  return { events, active, told: () => lines.splice(0), deaths: () => deaths };
}

const BEGINS = 'files or changes cannot be prepared from the live snapshot';
const ENDS = 'everything is prepared from the live snapshot';

test('what cannot be made is a condition until a generation has all of it', () => {
  const { events, active, told } = scene();
  events.onFinished([
    { what: 'osv', reason: 'RangeError: 1 is not a semver version' },
    { what: 'wordfence', reason: 'Error: a bad record' },
  ]);
  assert.deepEqual(active(), ['preparation_failed: osv, wordfence; 503 preparing']);
  assert.deepEqual(told(), [BEGINS]);
  events.onFinished([]);
  assert.deepEqual([active(), told()], [[], [ENDS]]);
});

test('a thread that dies is a condition until another finishes', () => {
  const { events, active, told, deaths } = scene();
  for (const backOffMs of [1_000, 2_000]) events.onFailure(new Error('out of memory'), backOffMs);
  const retried = 'preparing files and changes failed and is tried again';
  assert.deepEqual(active(), ['preparation_failed: its thread ended early; 503 preparing']);
  assert.deepEqual([told(), deaths()], [[BEGINS, retried, retried], 2]);
  events.onFinished([]);
  assert.deepEqual([active(), told()], [[], [ENDS]]);
});
