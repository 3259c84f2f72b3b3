import assert from 'node:assert/strict';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { HotSwapOptions } from '../../../src/loader/live/hot-swap.ts';
import { MarkerError } from '../../../src/loader/live/markers.ts';
import { orderRollBack } from '../../../src/loader/live/orders.ts';
import { parseWanted } from '../../../src/loader/live/wanted.ts';
import { readSnapshotHeader } from '../../../src/loader/snapshot/reader.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileHours, follow, followed, HOUR_MS, many } from '../../support/followed-folder.ts';
import { withTexts } from '../../support/snapshots/mutations.ts';
import { BUILT_AT_MS, readBytes, withFlippedBit } from '../../support/snapshots/snapshots.ts';

const stock = temporaryFolder({ after });
let hours: readonly string[];
let ids: readonly string[];

before(async () => {
  hours = await compileHours(stock);
  ids = hours.map((file) => (file === '' ? '' : idOf(file)));
});

const idOf = (file: string): string => readSnapshotHeader(file).id;

interface Told {
  readonly activateAtMs?: number;
  readonly previous?: number;
  readonly id?: string;
}

/** A folder whose manifest names the files `1.vdx`, `2.vdx` and `3.vdx` of the hours. */
function sceneOf(t: TestContext, options: HotSwapOptions = {}) {
  const scene = followed(t, { followsSource: true, ...options });
  const { at } = scene;
  return {
    ...scene,
    drop: (hour: number, bytes?: Uint8Array) => {
      if (bytes === undefined) copyFileSync(hours[hour], at(`${hour}.vdx`));
      else writeFileSync(at(`${hour}.vdx`), bytes);
    },
    want: (hour: number, { activateAtMs, previous, id = ids[hour] }: Told = {}) =>
      writeFileSync(
        at('source.json'),
        JSON.stringify({
          wanted: {
            id,
            file: `${hour}.vdx`,
            ...(activateAtMs === undefined ? {} : { activate_at: new Date(activateAtMs).toISOString() }),
          },
          previous: previous === undefined ? null : { id: ids[previous], file: `${previous}.vdx` },
        }),
      ),
    again: () => follow(scene.folder, { followsSource: true, ...options }),
  };
}

test('before there is a manifest, the newest file is served; then the one that it names', (t) => {
  const { scanAtOnce, drop, want } = sceneOf(t);
  for (const hour of [1, 2, 3]) drop(hour);
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx', 'older 2.vdx', 'older 1.vdx']);
  want(1);
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (manifest)']);
  assert.deepEqual(scanAtOnce(), []);
  want(2);
  assert.deepEqual(scanAtOnce(), ['loaded 2.vdx (manifest)']);
});

test('a file that the manifest does not name is not served, unless it is all there is', (t) => {
  const { scanAtOnce, drop, want, again, at } = sceneOf(t);
  drop(1);
  want(1);
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (manifest)']);
  drop(3);
  assert.deepEqual(scanAtOnce(), []);
  rmSync(at('1.vdx'));
  assert.deepEqual(scanAtOnce(), []);
  assert.deepEqual(again().scanAtOnce(), ['loaded 3.vdx']);
});

test('without a source, what a manifest wanted is of no account', (t) => {
  const { scanAtOnce, drop, want } = sceneOf(t, { followsSource: false });
  for (const hour of [1, 3]) drop(hour);
  want(1);
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx', 'older 1.vdx']);
});

test('a snapshot with a time is prepared, checked, and live at that time without another scan', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = BUILT_AT_MS;
  const { scanAtOnce, drop, want, swap, check, served } = sceneOf(t, { nowMs: () => nowMs });
  drop(1);
  want(1);
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (manifest)']);
  drop(2);
  want(2, { activateAtMs: BUILT_AT_MS + 90_000, previous: 1 });
  assert.deepEqual(scanAtOnce(), ['prepared']);
  assert.deepEqual(scanAtOnce(), []);
  while (swap.check()); // of both
  nowMs += 89_000;
  t.mock.timers.tick(89_000);
  assert.equal(served(), 1);
  nowMs += 1000;
  t.mock.timers.tick(1000);
  assert.equal(served(), 2);
  assert.deepEqual(check(), ['loaded 2.vdx (manifest)']);
});

test('a clock that jumps past the time is noticed by the next scan', (t) => {
  let nowMs = BUILT_AT_MS;
  const { scanAtOnce, scan, drop, want } = sceneOf(t, { nowMs: () => nowMs });
  drop(1);
  want(1);
  scanAtOnce();
  drop(2);
  want(2, { activateAtMs: nowMs + HOUR_MS });
  assert.deepEqual(scanAtOnce(), ['prepared']);
  nowMs += 2 * HOUR_MS;
  assert.deepEqual(scan(), ['loaded 2.vdx (manifest)']);
});

test('a time that is past is no time, and a new manifest replaces what was prepared', (t) => {
  const nowMs = BUILT_AT_MS;
  const { scanAtOnce, drop, want } = sceneOf(t, { nowMs: () => nowMs });
  for (const hour of [1, 2, 3]) drop(hour);
  want(1, { activateAtMs: nowMs - 1 });
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (manifest)']);
  want(2, { activateAtMs: nowMs + HOUR_MS });
  assert.deepEqual(scanAtOnce(), ['prepared']);
  want(3, { activateAtMs: nowMs + HOUR_MS });
  assert.deepEqual(scanAtOnce(), ['prepared']);
  want(3);
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx (manifest)']);
});

test('a process that starts before the time serves the previous snapshot, and any rather than none', (t) => {
  const nowMs = BUILT_AT_MS;
  const { scanAtOnce, drop, want, again, at } = sceneOf(t, { nowMs: () => nowMs });
  for (const hour of [1, 2]) drop(hour);
  want(2, { activateAtMs: nowMs + HOUR_MS, previous: 1 });
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (manifest)', 'prepared']);
  rmSync(at('1.vdx'));
  assert.deepEqual(again().scanAtOnce(), ['loaded 2.vdx (manifest)']);
});

test('a damaged snapshot is refused while it is prepared, and the old one stays live', (t) => {
  const nowMs = BUILT_AT_MS;
  const { scanAtOnce, drop, want, served } = sceneOf(t, { nowMs: () => nowMs });
  drop(1);
  want(1);
  scanAtOnce();
  const bytes = readBytes(hours[2]);
  drop(2, withFlippedBit(bytes, bytes.length - 1));
  want(2, { activateAtMs: nowMs + HOUR_MS });
  const [refused, ...more] = scanAtOnce();
  assert.match(refused, /^refused 2\.vdx: /);
  assert.deepEqual(more, []);
  want(2);
  assert.deepEqual(scanAtOnce(), []);
  assert.equal(served(), 1);
});

test('a fault that only the check finds ends the preparation', (t) => {
  let nowMs = BUILT_AT_MS;
  const { scanAtOnce, drop, want, served, check, at } = sceneOf(t, { nowMs: () => nowMs });
  drop(1);
  want(1);
  scanAtOnce();
  assert.deepEqual(check(), []);
  drop(
    2,
    withTexts(readBytes(hours[2]), (texts) => void texts.fill(0xc1)),
  );
  want(2, { activateAtMs: nowMs + HOUR_MS, id: idOf(at('2.vdx')) });
  assert.deepEqual(scanAtOnce(), ['prepared']);
  assert.match(check()[0], /^refused 2\.vdx: /);
  nowMs += 2 * HOUR_MS;
  assert.deepEqual(scanAtOnce(), []);
  assert.equal(served(), 1);
});

test('a file that holds another snapshot than the manifest names is told once', (t) => {
  const { scanAtOnce, drop, want, at } = sceneOf(t);
  drop(1);
  want(1);
  scanAtOnce();
  copyFileSync(hours[3], at('2.vdx'));
  want(2);
  const problem = `2.vdx is snapshot ${ids[3]} and not ${ids[2]}, which the manifest names`;
  assert.deepEqual(scanAtOnce(), [`marker source.json: ${problem}`]);
  assert.deepEqual(scanAtOnce(), []);
});

test('at a start before the time, a previous file that holds another snapshot is told once', (t) => {
  const { scanAtOnce, want, at } = sceneOf(t, { nowMs: () => BUILT_AT_MS });
  copyFileSync(hours[3], at('1.vdx'));
  want(2, { activateAtMs: BUILT_AT_MS + HOUR_MS, previous: 1 });
  const problem = `1.vdx is snapshot ${ids[3]} and not ${ids[1]}, which the manifest names`;
  assert.deepEqual(scanAtOnce(), [`marker source.json: ${problem}`, 'refused 1.vdx: built-ahead']);
  assert.deepEqual(scanAtOnce(), []);
});

test('a roll-back here holds until the manifest names a newer snapshot', (t) => {
  const nowMs = BUILT_AT_MS + 4 * HOUR_MS;
  const { scanAtOnce, drop, want, folder } = sceneOf(t, { nowMs: () => nowMs });
  for (const hour of [1, 2]) drop(hour);
  want(2);
  scanAtOnce();
  const age = { id: ids[1], builtAtMs: BUILT_AT_MS + HOUR_MS };
  orderRollBack(folder, '1.vdx', age, nowMs);
  assert.deepEqual(scanAtOnce(), ['roll-back pending', 'loaded 1.vdx (rolled-back)', 'roll-back held']);
  assert.deepEqual(scanAtOnce(), []);
  drop(3);
  want(3, { activateAtMs: nowMs + HOUR_MS });
  assert.deepEqual(scanAtOnce(), ['prepared']);
  want(3);
  assert.deepEqual(scanAtOnce(), ['roll-back over', 'loaded 3.vdx (manifest)']);
});

test('a manifest does not lift the guard against a loss, but may go back to a smaller build', async (t) => {
  const { scanAtOnce, want, at } = sceneOf(t, { maxShrinkPercent: 20 });
  const [large, small, first] = [await many(t, 100, 2), await many(t, 50, 3), await many(t, 40, 1)];
  copyFileSync(large, at('2.vdx'));
  copyFileSync(small, at('3.vdx'));
  copyFileSync(first, at('1.vdx'));
  want(2, { id: idOf(large) });
  assert.deepEqual(scanAtOnce(), ['loaded 2.vdx (manifest)']);
  want(3, { id: idOf(small) });
  assert.deepEqual(scanAtOnce(), ['refused 3.vdx: shrunk']);
  writeFileSync(at('3.vdx.accept-shrink'), idOf(small));
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx (manifest)']);
  want(1, { id: idOf(first) });
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (manifest)']);
});

test('a build time ahead of the clock does not hold up what a manifest names', (t) => {
  const { scanAtOnce, drop, want } = sceneOf(t, { nowMs: () => BUILT_AT_MS });
  drop(1);
  want(1);
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (manifest)']);
});

test('a source.json that cannot be read changes nothing', (t) => {
  const { scanAtOnce, drop, want, at } = sceneOf(t);
  for (const hour of [1, 2]) drop(hour);
  want(1);
  scanAtOnce();
  writeFileSync(at('source.json'), '{"wanted":');
  assert.deepEqual(scanAtOnce(), ['marker source.json: it is not JSON']);
  want(2);
  assert.deepEqual(scanAtOnce(), ['loaded 2.vdx (manifest)']);
});

test('what is wanted is a snapshot in the folder', () => {
  const id = 'a'.repeat(16);
  assert.equal(parseWanted('{"wanted":null}'), undefined);
  for (const wanted of [{ id, file: '../x.vdx' }, { id: 'x', file: 'x.vdx' }, { id, file: 'x' }, 'x']) {
    assert.throws(() => parseWanted(JSON.stringify({ wanted })), MarkerError);
  }
  const late = { wanted: { id, file: 'x.vdx', activate_at: 'soon' } };
  assert.throws(() => parseWanted(JSON.stringify(late)), /activate_at is not a time: soon/);
  assert.equal(
    basename(parseWanted(JSON.stringify({ wanted: { id, file: 'x.vdx' } }))?.wanted.file ?? ''),
    'x.vdx',
  );
});
