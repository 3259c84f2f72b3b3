import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundStartIn,
  groupStartIn,
  intervalStartIn,
  readGroup,
  slugStartIn,
  typeIn,
} from '../../../src/index/lookup/product-rows.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';

test('a row says of a product, and of each of its groups, what the columns say', (t) => {
  const spans = [coreSpan('1.0', '2.0'), coreSpan('3.0', null)];
  const everywhere = [coreSpan(null, null)];
  const mixed = coreProduct('plugin', 'mixed');
  const { parts } = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('wordpress', 'wordpress'), spans }),
    coreAdvisory(2, { product: coreProduct('npm', 'first'), spans: everywhere }),
    coreAdvisory(3, { product: coreProduct('npm', 'lib'), spans }),
    coreAdvisory(4, { product: mixed, spans }),
    coreAdvisory(5, { product: mixed, versionScheme: 'semver', spans: [...spans, coreSpan('0.1', '0.2')] }),
    coreAdvisory(6, { product: mixed, versionScheme: 'pep440', spans }),
    coreAdvisory(7, { product: coreProduct('plugin', 'strict'), versionScheme: 'semver', spans }),
    coreAdvisory(8, { product: coreProduct('pypi', 'last'), spans: everywhere }),
  ]);
  const { columns, productRows } = parts;
  const { productType, productSlugStart, productGroupStart } = columns;
  const { groupScheme, groupBoundStart, groupIntervalStart } = columns;
  const counts = new Set<number>();
  for (let product = 0; product <= productType.length; product++) {
    const first = productGroupStart[product];
    assert.equal(slugStartIn(productRows, product), productSlugStart[product]);
    assert.equal(groupStartIn(productRows, product), first);
    assert.equal(boundStartIn(productRows, product), groupBoundStart[first]);
    assert.equal(intervalStartIn(productRows, product), groupIntervalStart[first]);
    if (product === productType.length) continue;
    assert.equal(typeIn(productRows, product), productType[product]);
    const last = productGroupStart[product + 1];
    counts.add(last - first);
    for (let group = first; group < last; group++) {
      const place = { group: 99, scheme: 99, boundStart: 0, boundEnd: 0, intervalStart: 0, intervalEnd: 0 };
      readGroup(columns, productRows, product, group, place);
      assert.deepEqual(place, {
        group,
        scheme: groupScheme[group],
        boundStart: groupBoundStart[group],
        boundEnd: groupBoundStart[group + 1],
        intervalStart: groupIntervalStart[group],
        intervalEnd: groupIntervalStart[group + 1],
      });
    }
  }
  assert.deepEqual([...counts].sort(), [0, 1, 3]);
});
