// The content hash, and what is filled while it is computed.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { HASH_BYTES, HASH_OFFSET } from '../../../src/loader/format.ts';
import { contentHash } from '../../../src/loader/snapshot/content-hash.ts';
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

test('a hash leaves out the bytes of the hash in the header, and ends with the file as it was', () => {
  for (const totalBytes of [bytes.length, 262_144, 262_145, 192]) {
    assert.deepEqual(contentHash(fd, totalBytes), expectedOf(bytes.subarray(0, totalBytes)));
  }
});

test('a file that ends early has the hash of what is there', () => {
  assert.deepEqual(contentHash(fd, bytes.length + 5), expectedOf(bytes));
});

test('parts of the file are filled on the way, with what was hashed', () => {
  const parts = [
    { offset: 192, length: 300_000 },
    { offset: 300_192, length: 0 },
    { offset: 300_193, length: 1 },
    { offset: 400_000, length: 300_001 },
  ].map(({ offset, length }) => ({ offset, bytes: new SharedArrayBuffer(length) }));
  assert.deepEqual(contentHash(fd, bytes.length, parts), expectedOf(bytes));
  for (const part of parts) {
    const { byteLength } = part.bytes;
    assert.deepEqual(new Uint8Array(part.bytes), bytes.subarray(part.offset, part.offset + byteLength));
  }
});
