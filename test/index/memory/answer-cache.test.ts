// Cached answers, compared with a map that forgets nothing: the cache returns what was stored, or nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice, mix } from '../../../src/generator/dice.ts';
import { AnswerBuffer } from '../../../src/index/memory/answer-buffer.ts';
import { AnswerCache } from '../../../src/index/memory/answer-cache.ts';

function read(cache: AnswerCache, number: number): Uint8Array | undefined {
  const out = new AnswerBuffer();
  return cache.copyTo(out, number) ? out.view() : undefined;
}

test('the cache returns what was stored, however often its blocks are filled', () => {
  const dice = new Dice(mix(4));
  const cache = new AnswerCache();
  const twin = new Map<number, Uint8Array>();
  let hits = 0;
  for (let step = 0; step < 4_000; step++) {
    const number = Math.floor(dice.fraction() ** 3 * 2_000);
    const answer = read(cache, number);
    if (answer !== undefined) {
      hits += 1;
      assert.ok(Buffer.from(answer).equals(twin.get(number) as Uint8Array), `answer ${number}, step ${step}`);
      continue;
    }
    const bytes = new Uint8Array(256 + Math.floor(dice.fraction() * 20_000)).fill(number % 251);
    bytes[0] = step % 251;
    cache.keep(number, bytes);
    twin.set(number, bytes);
  }
  assert.ok(hits > 1_000 && hits < 3_900, `${hits} hits of 4,000`);
});

test('an answer that is requested again and again outlives the others', () => {
  const cache = new AnswerCache();
  const popular = new Uint8Array(100_000).fill(1);
  const others = new Uint8Array(100_000).fill(2);
  cache.keep(0, popular);
  for (let number = 1; number < 500; number++) {
    cache.keep(number, others);
    assert.deepEqual(read(cache, 0), popular);
  }
  assert.equal(read(cache, 1), undefined);
});

test('answers that are too short or too long are not kept, and an empty cache has none', () => {
  const cache = new AnswerCache();
  assert.equal(read(cache, 1), undefined);
  cache.keep(1, new Uint8Array(255));
  cache.keep(2, new Uint8Array(256));
  cache.keep(3, new Uint8Array(512 * 1024));
  cache.keep(4, new Uint8Array(512 * 1024 + 1));
  const kept = [1, 2, 3, 4].filter((number) => read(cache, number) !== undefined);
  assert.deepEqual(kept, [2, 3]);
});

test('a cleared cache has no answer from either block, and keeps new ones under the old numbers', () => {
  const cache = new AnswerCache();
  cache.clear();
  const old = new Uint8Array(500_000).fill(1);
  for (let number = 0; number < 6; number++) cache.keep(number, old); // 2 MiB are full after four
  assert.ok(read(cache, 0) !== undefined && read(cache, 5) !== undefined);
  cache.clear();
  for (let number = 0; number < 6; number++) assert.equal(read(cache, number), undefined, String(number));
  const fresh = new Uint8Array(500_000).fill(2);
  for (let number = 0; number < 4; number++) cache.keep(number, fresh);
  for (let number = 0; number < 4; number++) assert.deepEqual(read(cache, number), fresh, String(number));
});

test('a cache keeps answers from its own least size on', () => {
  const bytes = new Uint8Array(128).fill(7);
  for (const [least, kept] of [
    [undefined, false],
    [128, true],
    [129, false],
  ] as const) {
    const cache = new AnswerCache(least);
    cache.keep(1, bytes);
    assert.equal(read(cache, 1) !== undefined, kept, String(least));
  }
});

test('a number is met the second time, and remembered until one with its hash comes', () => {
  const cache = new AnswerCache();
  assert.deepEqual([cache.meets(7), cache.meets(7), cache.meets(2 ** 40 + 9)], [false, true, false]);
  assert.ok(cache.meets(2 ** 40 + 9));
  for (let number = 100; number < 2_000_000; number++) cache.meets(number);
  assert.equal(cache.meets(7), false);
});
