import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestIds } from '../../src/http/request-id.ts';

test('ids differ within a generator and between generators, and the service accepts them', () => {
  const one = requestIds();
  const other = requestIds();
  const ids = Array.from({ length: 1_000 }, () => [one(), other()]).flat();
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[\w.:-]{1,128}$/);
});
