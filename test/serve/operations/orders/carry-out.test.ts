import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { carryOut } from '../../../../src/serve/operations/orders/carry-out.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { compileHours, followed } from '../../../support/followed-folder.ts';

const stock = temporaryFolder({ after });
let hours: readonly string[] = [];

before(async () => {
  hours = await compileHours(stock);
});

/** A folder with the snapshots of one and two o'clock; that of two is live. */
function scene(t: TestContext) {
  const { swap, folder, at, scanAtOnce } = followed(t);
  for (const hour of [1, 2]) copyFileSync(hours[hour], at(basename(hours[hour])));
  scanAtOnce();
  return { swap, folder, at };
}

test('a roll-back and a roll-forward are followed before they are reported', (t) => {
  const { swap, folder, at } = scene(t);
  const newest = swap.current()?.id;
  const back = carryOut({ kind: 'roll-back', file: 'hour-1.vdx' }, swap, folder);
  assert.deepEqual(back, { outcome: 'done', detail: `${swap.current()?.id} is live` });
  assert.notEqual(swap.current()?.id, newest);
  assert.ok(existsSync(at('rollback.json')));
  assert.equal(carryOut({ kind: 'roll-forward' }, swap, folder).outcome, 'done');
  assert.equal(swap.current()?.id, newest);
  assert.deepEqual(carryOut({ kind: 'roll-forward' }, swap, folder), {
    outcome: 'failed',
    detail: 'rollback.json in the folder of snapshots: no such file; no roll-back is in effect',
  });
});

test('a reload loads what has just arrived', (t) => {
  const { swap, folder, at } = scene(t);
  copyFileSync(hours[3], at('hour-3.vdx'));
  const { outcome, detail } = carryOut({ kind: 'reload' }, swap, folder);
  assert.deepEqual([outcome, detail], ['done', `${swap.current()?.id} is live`]);
  assert.deepEqual(swap.current()?.idAt(0), 3);
});

test('a file that is not there, a marker that cannot be written and a folder that is gone are failures with the reason', (t) => {
  const { swap, folder, at } = scene(t);
  const none = carryOut({ kind: 'roll-back', file: 'none.vdx' }, swap, folder);
  assert.equal(none.outcome, 'failed');
  assert.match(none.detail, /unreadable/);
  mkdirSync(at('rollback.json'));
  const blocked = carryOut({ kind: 'roll-back', file: 'hour-1.vdx' }, swap, folder);
  assert.match(
    blocked.detail,
    /^rollback\.json in the folder of snapshots: cannot be changed \(rename: \w+\)/,
  );
  rmSync(folder, { recursive: true });
  const gone = carryOut({ kind: 'reload' }, swap, folder);
  assert.equal(gone.outcome, 'failed');
  assert.equal(gone.detail, 'snapshots cannot be read: the folder does not exist');
});

test('a roll-back to a file that turns out to be damaged is a failure', (t) => {
  const { swap, folder, at } = scene(t);
  const bytes = Buffer.alloc(4_000);
  writeFileSync(at('bad.vdx'), bytes);
  const { outcome } = carryOut({ kind: 'roll-back', file: 'bad.vdx' }, swap, folder);
  assert.equal(outcome, 'failed');
  assert.ok(!existsSync(at('rollback.json')));
});
