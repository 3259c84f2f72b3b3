// The helper of a load, whose work is done in this thread: from sources none starts.

import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { IndexColumns } from '../../../src/index/columns.ts';
import { type Header, parseHeader } from '../../../src/loader/format.ts';
import { type HelperJob, helpLoad, LoadHelper } from '../../../src/loader/snapshot/load-helper.ts';
import { allocateChecks, shareChecks } from '../../../src/loader/snapshot/shared-checks.ts';
import { CHECKS } from '../../../src/loader/snapshot/verify.ts';
import { viewColumns } from '../../../src/loader/snapshot/view-columns.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileRecords, readBytes, sampleRecords } from '../../support/snapshots/snapshots.ts';

const HASH = 0;
const INDEX = 1;
const FREE = 0;
const TAKEN = 1;
const DONE = 2;
const UNUSED = 3;

const folder = temporaryFolder({ after });
let fd: number;
let bytes: Uint8Array;
let header: Header;

before(async () => {
  const path = await compileRecords(folder, sampleRecords());
  bytes = readBytes(path);
  header = parseHeader(bytes);
  fd = openSync(path, 'r');
});
after(() => closeSync(fd));

function statesOf(hash: number, index: number): Int32Array {
  const states = new Int32Array(new SharedArrayBuffer(8));
  states[HASH] = hash;
  states[INDEX] = index;
  return states;
}

/** A job whose index was read. */
function jobOf(change: Partial<HelperJob> = {}): HelperJob {
  const { texts, index } = header.sections;
  const indexBytes = new SharedArrayBuffer(index.length);
  new Uint8Array(indexBytes).set(bytes.subarray(index.offset, index.offset + index.length));
  return {
    fd,
    totalBytes: bytes.length,
    filled: [{ offset: texts.offset, bytes: new SharedArrayBuffer(texts.length) }],
    index: indexBytes,
    states: statesOf(FREE, DONE),
    digest: new Uint8Array(new SharedArrayBuffer(32)),
    checks: allocateChecks(CHECKS.length),
    ...change,
  };
}

/** The checks that are left to the loading thread. */
function left({ checks }: HelperJob): number[] {
  const numbers: number[] = [];
  shareChecks(checks, (number) => void numbers.push(number));
  return numbers;
}

const ALL = CHECKS.map((_, number) => number);

test('a helper computes the hash, fills sections and takes checks', () => {
  const job = jobOf();
  helpLoad(job);
  assert.deepEqual([...job.states], [DONE, DONE]);
  assert.deepEqual(job.digest, header.hash);
  const [{ offset, bytes: texts }] = job.filled;
  assert.deepEqual(new Uint8Array(texts), bytes.slice(offset, offset + texts.byteLength));
  assert.deepEqual(left(job), []);
});

test('a helper leaves what was begun elsewhere, what it cannot read, and an index that needs no check', () => {
  const begun = jobOf({ states: statesOf(TAKEN, UNUSED) });
  helpLoad(begun);
  assert.deepEqual(begun.digest, new Uint8Array(32));
  assert.deepEqual(left(begun), ALL);
  const unreadable = jobOf({ fd: -1 });
  helpLoad(unreadable);
  assert.equal(unreadable.states[HASH], FREE);
});

test('a check that fails in the helper is left to the loading thread, which reports the fault', () => {
  const job = jobOf();
  const columns = viewColumns(new Uint8Array(job.index));
  columns.createdOrder[0] = columns.createdOrder[1];
  helpLoad(job);
  const failing = CHECKS.indexOf(refusing(columns));
  assert.deepEqual(left(job), ALL.slice(0, failing + 1));
  assert.throws(() => CHECKS[failing](columns), { section: 'index.createdOrder' });
});

test('without its thread all is done by the loading one', () => {
  const { filled, index } = jobOf();
  const helper = new LoadHelper({ fd, totalBytes: bytes.length, filled, index });
  const numbers: number[] = [];
  helper.share((number) => void numbers.push(number));
  assert.deepEqual(numbers, ALL);
  assert.deepEqual(new Uint8Array(helper.digest()), header.hash);
  const [{ offset, bytes: texts }] = filled;
  assert.deepEqual(new Uint8Array(texts), bytes.slice(offset, offset + texts.byteLength));
  helper.close();
});

/** The check that refuses these columns. */
function refusing(columns: IndexColumns): (typeof CHECKS)[number] {
  const check = CHECKS.find((each) => {
    try {
      each(columns);
      return false;
    } catch {
      return true;
    }
  });
  return check ?? assert.fail('the columns are sound');
}
