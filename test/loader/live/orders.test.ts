import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseRollBack } from '../../../src/loader/live/markers.ts';
import { endRollBack, orderComplaint, orderRollBack } from '../../../src/loader/live/orders.ts';
import type { SnapshotAge } from '../../../src/loader/live/snapshot-age.ts';
import { readSnapshotHeader } from '../../../src/loader/snapshot/reader.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileHours } from '../../support/followed-folder.ts';

const stock = temporaryFolder({ after });
let hours: readonly string[] = [];

before(async () => {
  hours = await compileHours(stock);
});

function ageOf(path: string): SnapshotAge {
  const { header, id } = readSnapshotHeader(path);
  return { id, builtAtMs: header.builtAtMs };
}

test('an order to roll back lasts until something newer than all good files of the folder, and can be ended', (t) => {
  const folder = temporaryFolder(t);
  for (const hour of [1, 3]) copyFileSync(hours[hour], join(folder, `${hour}.vdx`));
  writeFileSync(join(folder, 'bad.vdx'), 'not a snapshot');
  const nowMs = Date.UTC(2026, 1, 1);
  const order = orderRollBack(folder, '1.vdx', ageOf(hours[1]), nowMs);
  assert.deepEqual(order, {
    file: '1.vdx',
    id: ageOf(hours[1]).id,
    newerThan: ageOf(hours[3]),
    orderedAtMs: nowMs,
  });
  const marker = join(folder, 'rollback.json');
  assert.deepEqual(parseRollBack(readFileSync(marker, 'utf8')), order);
  assert.equal(statSync(marker).mode & 0o777, 0o644);
  endRollBack(folder);
  assert.ok(!existsSync(marker));
});

test('a system error says what to do; any other error says nothing', (t) => {
  const folder = temporaryFolder(t);
  let complaint: string | undefined;
  try {
    endRollBack(folder);
  } catch (error) {
    complaint = orderComplaint(error);
  }
  assert.equal(complaint, 'no such file; no roll-back is in effect');
  const denied = Object.assign(new Error('x'), { code: 'EACCES', syscall: 'open' });
  assert.equal(
    orderComplaint(denied),
    'cannot be changed (open: EACCES); write access to the folder is required',
  );
  assert.equal(orderComplaint(new Error('other')), undefined);
});
