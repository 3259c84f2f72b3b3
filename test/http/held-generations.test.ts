import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HeldGenerations } from '../../src/http/held-generations.ts';
import { coreAdvisory, generationOf } from '../support/snapshots/generation.ts';

function scene(t: TestContext) {
  const [live, other] = [1, 2].map((id) => generationOf(t, [coreAdvisory(id)]));
  const held = new HeldGenerations(undefined);
  held.adopt(live);
  return { live, other, held };
}

test('without a list of kept generations the live one is the list, the same for every request', (t) => {
  const { live, other, held } = scene(t);
  const list = held.list(live);
  assert.deepEqual(
    [list.map(({ generation }) => generation === live), held.list(live) === list],
    [[true], true],
  );
  held.adopt(other);
  assert.equal(held.list(other)[0].generation, other);
});

test('the live generation keeps its memory while requests name another, and another one while there is work', (t) => {
  const { live, other, held } = scene(t);
  const memory = held.memoryOf(live, live);
  const pinned = held.memoryOf(other, live);
  const own = held.beginWork(live);
  assert.equal(new Set([memory, pinned, own]).size, 3);
  assert.deepEqual(
    [memory, pinned, own].map((each) => each.isOf(live)),
    [true, false, true],
  );
  held.endWork(live, live);
  assert.equal(held.beginWork(live), own);
});

test('the memory of a work is released when its generation is no longer live', (t) => {
  const { live, other, held } = scene(t);
  const own = held.beginWork(live);
  held.adopt(other);
  held.endWork(live, other);
  assert.notEqual(held.beginWork(other), own);
});
