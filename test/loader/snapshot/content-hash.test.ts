// The content hash has one value, whoever computes it.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { HASH_BYTES, HASH_OFFSET } from '../../../src/loader/format.ts';
import { ContentHash, type HashJob, takeHashJob } from '../../../src/loader/snapshot/content-hash.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeBytes } from '../../support/snapshots/snapshots.ts';

const bytes = Uint8Array.from({ length: 700_001 }, (_, i) => (i * 31) >> 3);
let fd: number;
const folder = temporaryFolder({ after });

before(() => {
  fd = openSync(writeBytes(folder, 'file', bytes), 'r');
});
after(() => closeSync(fd));

function expectedOf(first: Uint8Array): Buffer {
  const rest = first.subarray(HASH_OFFSET + HASH_BYTES);
  return createHash('sha256').update(first.subarray(0, HASH_OFFSET)).update(rest).digest();
}

function jobOf(totalBytes: number): HashJob {
  const shared = (count: number): SharedArrayBuffer => new SharedArrayBuffer(count);
  return { fd, totalBytes, state: new Int32Array(shared(4)), digest: new Uint8Array(shared(HASH_BYTES)) };
}

test('a hash leaves out the bytes of the hash in the header, and ends with the file as it was', () => {
  for (const totalBytes of [bytes.length, 262_144, 262_145, 192]) {
    const hash = new ContentHash(fd, totalBytes);
    assert.equal(hash.isHelped, false);
    assert.deepEqual(hash.digest(), expectedOf(bytes.subarray(0, totalBytes)));
  }
});

test('a helper computes the same hash, and none that was begun elsewhere', () => {
  const job = jobOf(bytes.length);
  takeHashJob(job);
  assert.deepEqual(Buffer.from(job.digest), expectedOf(bytes));
  const begun = jobOf(bytes.length);
  begun.state[0] = 1;
  takeHashJob(begun);
  assert.deepEqual(begun.digest, new Uint8Array(HASH_BYTES));
});

test('a helper thread that cannot start or read leaves the work to the caller', () => {
  const hash = new ContentHash(fd, bytes.length, 1); // from sources the thread ends at once
  assert.deepEqual(hash.digest(), expectedOf(bytes));
  const unreadable = { ...jobOf(bytes.length), fd: -1 };
  takeHashJob(unreadable);
  assert.equal(unreadable.state[0], 0);
});
