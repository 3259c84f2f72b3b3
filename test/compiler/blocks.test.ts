import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { Unpackr } from 'msgpackr/unpack';
import { BlockWriter } from '../../src/compiler/blocks.ts';

const ROWS = [['one sentence that the dictionary has'], ['another sentence that it has']];
const DICTIONARY = Buffer.from('another sentence that it has, one sentence that the dictionary has');

function deflated(dictionary: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  const writer = new BlockWriter({ append: (bytes) => parts.push(bytes) }, ROWS.length, {
    kind: 'deflated',
    dictionary,
  });
  for (const row of ROWS) writer.add(row);
  const block = Buffer.concat(parts);
  assert.deepEqual([...writer.finish()], [0, block.length]);
  return block;
}

test('a block deflated with a dictionary is smaller, and opens only with that dictionary', () => {
  const block = deflated(DICTIONARY);
  assert.ok(block.length < deflated(new Uint8Array(0)).length / 2);
  const open = (dictionary: Uint8Array): unknown =>
    new Unpackr({ useRecords: false }).unpack(inflateRawSync(block, { dictionary }));
  assert.deepEqual(open(DICTIONARY), ROWS);
  assert.throws(() => open(new Uint8Array(0)), { code: 'Z_DATA_ERROR' });
});

test('an empty dictionary means none: such blocks open without one', () => {
  const rows = new Unpackr({ useRecords: false }).unpack(inflateRawSync(deflated(new Uint8Array(0))));
  assert.deepEqual(rows, ROWS);
});
