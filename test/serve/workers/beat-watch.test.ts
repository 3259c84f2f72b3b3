// Which workers are hung, and which only seem so because the watch itself was paused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BeatWatch } from '../../../src/serve/workers/beat-watch.ts';

/**
 * Checks once a second, with beats from a function of the time in seconds; returns when each worker was found
 * hung.
 */
function watch(seconds: readonly number[], beatsAt: (second: number) => (number | undefined)[]): string[] {
  const beatWatch = new BeatWatch(1_000, 10_000);
  return seconds.flatMap((second) =>
    beatWatch.look(second * 1_000, beatsAt(second)).map((worker) => `${worker} at ${second}`),
  );
}

const MINUTE = Array.from({ length: 60 }, (_, second) => second);

test('a worker whose beat does not change for ten seconds is hung, the others are not', () => {
  const found = watch(MINUTE.slice(0, 16), (second) => [second, Math.min(second, 4), second]);
  assert.deepEqual(found, ['1 at 14', '1 at 15']);
});

test('slow beats are not a hang, and a worker that is not serving is not judged', () => {
  assert.deepEqual(
    watch(MINUTE, (second) => [Math.floor(second / 9), undefined]),
    [],
  );
});

test('after the process was stopped no worker is taken for hung: all beats start over', () => {
  // Stopped from second 3 to 30; the beats are unchanged at the next check, and move from then on.
  const seconds = [0, 1, 2, 3, 30, ...MINUTE.slice(31)];
  assert.deepEqual(
    watch(seconds, (second) => [second <= 30 ? Math.min(second, 3) : second]),
    [],
  );
  assert.deepEqual(
    watch(seconds, (second) => [Math.min(second, 3)]).slice(0, 1),
    ['0 at 40'],
    'one that really hangs is found ten seconds later',
  );
});

test('checks that are a little late do not save a worker that hangs', () => {
  const seconds = MINUTE.map((second) => second * 3);
  assert.deepEqual(watch(seconds, () => [0]).slice(0, 1), ['0 at 30']);
});
