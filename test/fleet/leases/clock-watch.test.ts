import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockWatch } from '../../../src/fleet/leases/clock-watch.ts';

function watched() {
  const clocks = { now: 0, wall: 1_000_000 };
  const watch = new ClockWatch({ nowMs: () => clocks.now, wallMs: () => clocks.wall });
  const pass = (ms: number): void => {
    clocks.now += ms;
    clocks.wall += ms;
  };
  return { clocks, watch, pass };
}

test('an engine’s clock that runs on has not been set; one that leaps has, either way', () => {
  const { clocks, watch, pass } = watched();
  assert.equal(watch.expectedMs, 0);
  assert.equal(watch.hear(1_600_000, clocks.now), 0, 'nothing to compare the first time with');
  assert.equal(watch.offsetMs, 600_000);
  pass(5_000);
  assert.equal(watch.expectedMs, 1_605_000);
  assert.equal(watch.hear(1_605_010, clocks.now), 0);
  assert.equal(watch.hear(2_605_010, clocks.now), 1_000_000);
  assert.equal(watch.hear(1_605_010, clocks.now), -1_000_000);
});

test('the time of day here is told as set once', () => {
  const { clocks, watch, pass } = watched();
  pass(60_000);
  assert.equal(watch.followWall(clocks.now), 0);
  clocks.wall -= 600_000;
  assert.equal(watch.followWall(clocks.now), -600_000);
  pass(1_000);
  assert.equal(watch.followWall(clocks.now), 0);
});
