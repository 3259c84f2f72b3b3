import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskedProducts } from '../../src/http/asked-products.ts';

test('as many products are named as were asked for, and the others counted', () => {
  const products = new AskedProducts(2);
  for (const name of ['pkg:npm/a', 'pkg:npm/b', 'pkg:npm/c']) products.add(name);
  products.leaveOut();
  assert.deepEqual(
    [products.names, products.leftOut, products.isFull],
    [['pkg:npm/a', 'pkg:npm/b'], 2, true],
  );
});

test('their names have at most 32 KiB together', () => {
  const products = new AskedProducts(1_000);
  for (let i = 0; i < 100; i++) products.add(`pkg:npm/${'x'.repeat(992)}`);
  assert.deepEqual([products.names.length, products.leftOut], [32, 68]);
  assert.ok(products.names.join('').length <= 32 * 1024);
});
