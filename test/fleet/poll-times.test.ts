import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPollMs } from '../../src/fleet/poll-times.ts';

test('no wait is longer than five intervals or five minutes, and chance shortens it', () => {
  assert.equal(nextPollMs(1000, 9, 0), 5000);
  assert.equal(nextPollMs(60_000, 9, 0), 300_000);
  assert.equal(nextPollMs(3_600_000, 9, 0), 3_600_000);
  assert.equal(nextPollMs(60_000, 0, 1), 48_000);
  assert.equal(nextPollMs(60_000, 4, 1), 30_000);
});
