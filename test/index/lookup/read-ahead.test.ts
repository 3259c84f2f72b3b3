import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  candidateAt,
  findProduct,
  hashOfAscii,
  hashOfName,
} from '../../../src/index/lookup/product-table.ts';
import { productTypeFacts } from '../../../src/index/product-type.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';
import { words } from '../../support/words.ts';

test('each name is hashed once, in order, whatever the number of names', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  for (const total of [0, 1, 31, 32, 33, 100]) {
    const hashed: number[] = [];
    for (let at = 0; at < total; at++) {
      generation.readAhead(at, total, (each) => hashed.push(each));
      assert.ok(hashed.length > at && hashed.length <= at + 32, `${hashed.length} before ${at}`);
    }
    assert.deepEqual(
      hashed,
      Array.from({ length: total }, (_, i) => i),
    );
  }
});

test('any number may stand for a name', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  for (const hash of [0, 1, 2 ** 31, 2 ** 32 - 1]) generation.readAhead(0, 1, () => hash);
});

test('what is read is what a look-up of the name finds', (t) => {
  const slugs = words('a lodash @scope/name x-1 é');
  const generation = generationOf(
    t,
    ['npm', 'plugin', 'pypi'].flatMap((type, place) =>
      slugs.map((slug, i) =>
        coreAdvisory(10 * place + i + 1, { product: coreProduct(type as 'npm' | 'plugin' | 'pypi', slug) }),
      ),
    ),
  );
  const { parts } = generation;
  for (const type of ['npm', 'plugin', 'pypi'] as const) {
    const facts = productTypeFacts(type);
    for (const slug of slugs) {
      const product = findProduct(parts, facts, slug);
      assert.ok(product !== undefined, slug);
      assert.equal(candidateAt(parts.productSlots, hashOfName(parts, facts, slug)), product);
      const bytes = Buffer.from(`"${slug}"`);
      const hash = hashOfAscii(parts, facts, bytes, 1, bytes.length - 1);
      assert.equal(candidateAt(parts.productSlots, hash), product);
    }
  }
  const facts = productTypeFacts('plugin');
  assert.equal(
    candidateAt(parts.productSlots, hashOfName(parts, facts, 'LODASH')),
    findProduct(parts, facts, 'lodash'),
  );
  const long = 'x'.repeat(1_000);
  assert.equal(candidateAt(parts.productSlots, hashOfName(parts, facts, long)), -1);
  assert.equal(candidateAt(parts.productSlots, hashOfAscii(parts, facts, Buffer.from(long), 0, 1_000)), -1);
});
