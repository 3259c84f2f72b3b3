import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionTitle, orderOutcome, quota, rollBackState } from '../../../src/console/operate/words.ts';

test('what is left of a limit names its window', () => {
  assert.equal(
    quota({ limit: 5_000, window_seconds: 86_400, remaining: 1_234 }),
    '1,234 of 5,000 left per day',
  );
  assert.equal(quota({ limit: 10, window_seconds: 60, remaining: 0 }), '0 of 10 left per minute');
  assert.equal(quota({ limit: 10, window_seconds: 600, remaining: 1 }), '1 of 10 left per 10 minutes');
});

test('a condition is a title', () => {
  assert.equal(conditionTitle('snapshot_too_old'), 'Snapshot too old');
  assert.equal(conditionTitle('rolled_back'), 'Rolled back');
});

test('the outcome of an order is a sentence for each part', () => {
  const at = '2026-01-01T00:00:00.000Z';
  assert.equal(
    orderOutcome({ order: 'reload', at, outcome: 'done', detail: 'no newer snapshot was found' }),
    'Reload: done. No newer snapshot was found.',
  );
  assert.equal(
    orderOutcome({ order: 'roll-back', at, outcome: 'pending', detail: '' }),
    'Roll-back: under way.',
  );
  assert.equal(
    orderOutcome({ order: 'roll-forward', at, outcome: 'failed', detail: 'The folder is read-only.' }),
    'End of the roll-back: failed. The folder is read-only.',
  );
});

test('a roll-back is shown while it waits or lasts', () => {
  const order = {
    file: 'a.vdx',
    id: '1',
    newer_than: { id: '2', built_at: '2026-01-01T00:00:00.000Z' },
    ordered_at: '2026-01-01T00:00:00.000Z',
  };
  assert.equal(rollBackState(null), undefined);
  assert.equal(rollBackState({ ...order, state: 'over' }), undefined);
  assert.equal(rollBackState({ ...order, state: 'pending' }), 'A roll-back to a.vdx waits.');
  assert.equal(
    rollBackState({ ...order, state: 'pending', problem: 'there is no such file' }),
    'A roll-back to a.vdx waits: there is no such file.',
  );
  assert.equal(
    rollBackState({ ...order, state: 'held' }),
    'Rolled back to a.vdx, until there is a snapshot newer than 2.',
  );
});
