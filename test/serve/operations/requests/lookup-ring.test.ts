import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allocateLookups,
  generationTag,
  LookupRings,
  LookupSampler,
} from '../../../../src/serve/operations/requests/lookup-ring.ts';
import { pluck } from '../../../support/pluck.ts';

const ID = '0123456789abcdef';
const ANYONE = { slot: undefined };

function weightOf(lookups: readonly { readonly weight: number }[]): number {
  return lookups.reduce((sum, { weight }) => sum + weight, 0);
}

test('of few look-ups each is taken, from every worker, with its generation', () => {
  const memory = allocateLookups(2);
  const rings = new LookupRings(memory, 200);
  new LookupSampler(memory, 0, ID, ANYONE).lookedUp(7);
  new LookupSampler(memory, 1, 'fedcba9876543210', ANYONE).lookedUp(8);
  assert.deepEqual(rings.take(), [
    { product: 7, tag: generationTag(ID), caller: undefined, weight: 1, version: undefined },
    { product: 8, tag: generationTag('fedcba9876543210'), caller: undefined, weight: 1, version: undefined },
  ]);
  assert.deepEqual(rings.take(), []);
});

test('of many, fewer are taken until it is about as many as wanted, and their weights add up to all', () => {
  const memory = allocateLookups(1);
  const rings = new LookupRings(memory, 100);
  const sampler = new LookupSampler(memory, 0, ID, ANYONE);
  const second = (count: number): ReturnType<LookupRings['take']> => {
    for (let i = 0; i < count; i++) sampler.lookedUp(i % 10);
    return rings.take();
  };
  const first = second(50_000);
  assert.equal(first.length, 512, 'what the ring holds');
  assert.equal(Math.round(weightOf(first)), 50_000);
  for (let i = 0; i < 5; i++) {
    const later = second(50_000);
    assert.ok(later.length <= 100 && later.length >= 25, String(later.length));
    assert.ok(Math.abs(weightOf(later) - 50_000) < 2_000);
  }
  for (let i = 0; i < 30; i++) second(40); // quiet again
  assert.ok(second(40).length >= 10);
});

test('a worker’s successor goes on in the same ring', () => {
  const memory = allocateLookups(1);
  const rings = new LookupRings(memory, 200);
  new LookupSampler(memory, 0, ID, ANYONE).lookedUp(1);
  new LookupSampler(memory, 0, ID, ANYONE).lookedUp(2);
  assert.deepEqual(pluck(rings.take(), 'product'), [1, 2]);
});

test('a version comes with its product, unless it is long or not ASCII', () => {
  const memory = allocateLookups(1);
  const [first, second] = [new LookupRings(memory, 200), new LookupRings(memory)];
  const sampler = new LookupSampler(memory, 0, ID, ANYONE);
  const versions = ['1.10.2-beta', '', 'x'.repeat(64), 'x'.repeat(65), '1.0\u00e9', '2'];
  for (const version of versions) sampler.lookedUp(1, version);
  const taken = ['1.10.2-beta', undefined, 'x'.repeat(64), undefined, undefined, '2'];
  for (const rings of [first, second]) {
    assert.deepEqual(pluck(rings.take(), 'version'), taken);
  }
});

test('a look-up comes with the key of whoever asked', () => {
  const memory = allocateLookups(1);
  const rings = new LookupRings(memory, 200);
  const asking: { slot: number | undefined } = { slot: 0 };
  const sampler = new LookupSampler(memory, 0, ID, asking);
  for (const slot of [0, undefined, 99_999]) {
    asking.slot = slot;
    sampler.lookedUp(1, '1.0');
  }
  assert.deepEqual(pluck(rings.take(), 'caller'), [0, undefined, 99_999]);
});
