// What applies to versions of a package: the known answers of real lookups, one by one and several at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Verdicts } from '../../../src/dialects/npm-audit/verdicts.ts';
import { finish } from '../../../src/http/work/steps.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { readKnownLookups, realDataOptions } from '../../support/feeds/real-data.ts';
import {
  coreAdvisory,
  coreProduct,
  coreSpan,
  generationOf,
  realGeneration,
} from '../../support/snapshots/generation.ts';

test('of several versions, each advisory is listed once, by descending id', (t) => {
  const product = coreProduct('npm', 'library');
  const generation = generationOf(t, [
    coreAdvisory(1, { product, spans: [coreSpan('1.0.0', '1.9.0'), coreSpan('3.0.0', '3.9.0')] }),
    coreAdvisory(2, { product, spans: [coreSpan('1.5.0', '2.0.0')] }),
    coreAdvisory(3, { product, spans: [coreSpan('3.5.0', null)] }),
    coreAdvisory(4, { product: coreProduct('plugin', 'library') }),
  ]);
  const verdicts = new Verdicts(generation, new ThreadMemory(generation));
  const ids = (versions: readonly unknown[], name = 'library'): readonly number[] =>
    finish(verdicts.ofAny(name, versions)).map((ordinal) => generation.idAt(ordinal));
  assert.deepEqual(ids(['3.6.0', '1.6.0', '1.7.0', '3.6.1', '^1.0.0', null]), [3, 2, 1]);
  assert.deepEqual(ids(['2.5.0', '3.4.0', '0.1.0']), [1]);
  assert.deepEqual(ids(['2.5.0', 'file:.']), []);
  assert.deepEqual(ids([]), []);
  assert.deepEqual(ids(['1.0.0'], 'gallery'), []);
});

test('real lookups get their known answers', realDataOptions, async () => {
  const generation = await realGeneration('npm');
  const verdicts = new Verdicts(generation, new ThreadMemory(generation));
  const byName = new Map<string, { readonly versions: string[]; readonly ids: Set<number> }>();
  const lookups = readKnownLookups('npm').filter(({ q }) => q.version !== '*');
  assert.ok(lookups.length > 2_000);
  for (const { q, expect = [] } of lookups) {
    const ids = verdicts.of(q.name, q.version).map((ordinal) => generation.idAt(ordinal));
    assert.deepEqual(
      ids,
      expect.map(({ id }) => id),
      `${q.name} ${q.version}`,
    );
    const all = byName.get(q.name) ?? { versions: [], ids: new Set() };
    all.versions.push(q.version);
    for (const id of ids) all.ids.add(id);
    byName.set(q.name, all);
  }
  for (const [name, { versions, ids }] of byName) {
    const found = finish(verdicts.ofAny(name, versions)).map((ordinal) => generation.idAt(ordinal));
    assert.deepEqual(
      found,
      [...ids].sort((a, b) => b - a),
      name,
    );
  }
});
