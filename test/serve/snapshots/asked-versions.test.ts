import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Canary } from '../../../src/loader/live/canary.ts';
import { allocateLookups, LookupSampler } from '../../../src/serve/operations/requests/lookup-ring.ts';
import { AskedVersions } from '../../../src/serve/snapshots/asked-versions.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

test('versions of the live generation are noted; others cannot be named', (t) => {
  const live = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('plugin', 'forms') }),
    coreAdvisory(2, { product: coreProduct('plugin', 'gallery') }),
  ]);
  const memory = allocateLookups(1);
  const canary = new Canary();
  const asked = new AskedVersions(memory, canary);
  const sampler = new LookupSampler(memory, 0, live.id, { slot: undefined });
  sampler.lookedUp(0, '1.0');
  sampler.lookedUp(1, '1.0');
  sampler.lookedUp(1, '1.0');
  sampler.lookedUp(1); // all its advisories
  sampler.lookedUp(2, '1.0'); // no such row
  new LookupSampler(memory, 0, 'fedcba9876543210', { slot: undefined }).lookedUp(0, '2.0');
  asked.take(live);
  assert.equal(canary.count, 2);
  const none = generationOf(t, [coreAdvisory(3, { product: coreProduct('plugin', 'other') })]);
  assert.deepEqual(canary.changes(live, none), [
    { type: 'plugin', name: 'gallery', version: '1.0', isVulnerable: false },
    { type: 'plugin', name: 'forms', version: '1.0', isVulnerable: false },
  ]);
  sampler.lookedUp(0, '3.0');
  asked.take(undefined); // nothing is live yet
  asked.take(live);
  assert.equal(canary.count, 2);
});

test('a caller with a key is one of its own, those without are one together', (t) => {
  const live = generationOf(t, [coreAdvisory(1, { product: coreProduct('plugin', 'forms') })]);
  const memory = allocateLookups(1);
  const canary = new Canary();
  const asked = new AskedVersions(memory, canary);
  for (const slot of [undefined, 3, undefined, 4, 3])
    new LookupSampler(memory, 0, live.id, { slot }).lookedUp(0, '1.0');
  asked.take(live);
  assert.equal(canary.count, 3, 'the product, as often as callers asked');
});
