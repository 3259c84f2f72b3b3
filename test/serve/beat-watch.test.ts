// Who is hung, and who only seems so because the watch was not looking.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BeatWatch } from '../../src/serve/beat-watch.ts';

/** Looks once a second at beats from a function of the time in seconds; the seconds at which each worker was hung. */
function watch(seconds: readonly number[], beatsAt: (second: number) => (number | undefined)[]): string[] {
  const beatWatch = new BeatWatch(1_000, 10_000);
  return seconds.flatMap((second) =>
    beatWatch.look(second * 1_000, beatsAt(second)).map((worker) => `${worker} at ${second}`),
  );
}

const MINUTE = Array.from({ length: 60 }, (_, second) => second);

test('a worker whose beat stands still for ten seconds is hung, the others are not', () => {
  const found = watch(MINUTE.slice(0, 16), (second) => [second, Math.min(second, 4), second]);
  assert.deepEqual(found, ['1 at 14', '1 at 15']);
});

test('nobody is hung while beats come slowly, and nobody is judged who does not serve', () => {
  assert.deepEqual(
    watch(MINUTE, (second) => [Math.floor(second / 9), undefined]),
    [],
  );
});

test('a process that was stopped takes nobody for hung: all beats begin anew', () => {
  // Stopped from second 3 to 30; the beats have not moved when it looks again, and move from then on.
  const seconds = [0, 1, 2, 3, 30, ...MINUTE.slice(31)];
  assert.deepEqual(
    watch(seconds, (second) => [second <= 30 ? Math.min(second, 3) : second]),
    [],
  );
  assert.deepEqual(
    watch(seconds, (second) => [Math.min(second, 3)]).slice(0, 1),
    ['0 at 40'],
    'one that does hang is found ten seconds later',
  );
});

test('looks that are a little late do not save a worker that hangs', () => {
  const seconds = MINUTE.map((second) => second * 3);
  assert.deepEqual(watch(seconds, () => [0]).slice(0, 1), ['0 at 30']);
});
