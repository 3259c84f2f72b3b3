import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MadeId, requestIds } from '../../src/http/request-id.ts';

test('ids differ within a generator and between generators, and the service accepts them', () => {
  const one = requestIds();
  const other = requestIds();
  const ids = Array.from({ length: 1_000 }, () => [String(one()), String(other())]).flat();
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[\w.:-]{1,128}$/);
});

test('an id is written as bytes as it is as a text, where it is put', () => {
  for (const count of [0, 9, 10, 4_294_967_295]) {
    const id = new MadeId(new TextEncoder().encode('name-'), count);
    const bytes = new Uint8Array(2 + id.length);
    assert.equal(id.put(bytes, 2), bytes.length);
    assert.equal(Buffer.from(bytes).toString(), `\0\0name-${count}`);
    assert.equal(String(id), `name-${count}`);
  }
});

test('ids differ also when the count has come to its end', () => {
  const next = requestIds(2 ** 32 - 3);
  const ids = Array.from({ length: 4 }, () => String(next()));
  const [names, counts] = [0, 1].map((part) => ids.map((id) => id.split('-')[part]));
  assert.deepEqual(counts, ['4294967294', '4294967295', '1', '2']);
  assert.deepEqual(
    [names[0] === names[1], names[1] === names[2], names[2] === names[3]],
    [true, false, true],
  );
});
