// What a thread remembers: nothing of the previous generation after a reset, with the same buffers as before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeListedItems, writeLookup } from '../../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

const CREATED_MS = Date.UTC(2026, 0, 3);

/** One answer of each kind for which a memory caches something. */
function answers(memory: ThreadMemory, generation: Generation): readonly unknown[] {
  const { out, locator, windows } = memory;
  const written = (write: () => void): string => {
    out.restart();
    write();
    return Buffer.from(out.view()).toString().trim();
  };
  const place = generation.locate('plugin', 'gallery', '1.0', locator);
  assert.ok(place.kind === 'segment');
  return [
    place.number,
    written(() => writeLookup(memory, generation, place, false)),
    written(() => writeListedItems(memory, generation, { start: 0, end: 1 }, true)),
    Array.from(generation.latest('wordpress', CREATED_MS, windows).ordinals, (ordinal) =>
      generation.idAt(ordinal),
    ),
  ];
}

test('after a reset the same numbers stand for the new generation', (t) => {
  const old = { createdAt: CREATED_MS / 1000 - 2 * 86_400 };
  const make = (title: string, oldest: number): Generation =>
    generationOf(
      t,
      [1, 2, 3].map((id) => coreAdvisory(id, { title, details: title, ...(id === oldest ? old : {}) })),
    );
  const first = make('first', 1);
  const second = make('second', 3);
  const memory = new ThreadMemory(first);
  const before = answers(memory, first);
  assert.deepEqual(answers(memory, first), before);
  assert.deepEqual(before[3], [3, 2]);
  memory.pages.keep(0, new Uint8Array(1_000));
  memory.reset(second);
  assert.equal(memory.pages.copyTo(memory.out, 0), false);
  const after = answers(memory, second);
  assert.equal(after[0], before[0], 'both are asked for the same segment, ordinal, window and block');
  assert.deepEqual(after, answers(new ThreadMemory(second), second));
  memory.reset(first);
  assert.deepEqual(answers(memory, first), before);
});

test('a memory knows its generation, from the first reset on', (t) => {
  const first = generationOf(t, [coreAdvisory(1)]);
  const second = generationOf(t, [coreAdvisory(1)]);
  const memory = new ThreadMemory();
  assert.equal(memory.isOf(first), false);
  memory.reset(first);
  assert.deepEqual([memory.isOf(first), memory.isOf(second)], [true, false]);
  memory.reset(second);
  assert.deepEqual([memory.isOf(first), memory.isOf(second)], [false, true]);
});

test('a reset keeps the answer that was written before, and the buffer it is in', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  const memory = new ThreadMemory(generation);
  memory.out.text('x'.repeat(1_000_000));
  const { capacity } = memory.out;
  const answer = memory.out.view();
  memory.reset(generationOf(t, [coreAdvisory(2)]));
  assert.equal(memory.out.capacity, capacity);
  assert.equal(Buffer.from(answer).toString(), 'x'.repeat(1_000_000));
});

test('a thread takes one area in the memory of its generation, and another after a reset', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  const memory = new ThreadMemory(generation);
  const { buffer } = generation.parts.items.parts[0].memory;
  const before = buffer.byteLength;
  const area = memory.areas.find(0, 1)?.area;
  assert.ok(area !== undefined);
  const [{ memory: shared }] = generation.parts.items.parts;
  const taken = shared.buffer.byteLength;
  assert.ok(taken > before);
  assert.equal(memory.areas.find(0, 1)?.area, area);
  assert.equal(shared.buffer.byteLength, taken);
  memory.reset(generationOf(t, [coreAdvisory(2)]));
  assert.notEqual(memory.areas.find(0, 1)?.area, area);
  assert.throws(() => new ThreadMemory().areas, /reset/);
});
