// What laying out a product costs: reads of the columns it is made of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutProducts } from '../../src/compiler/product-layout.ts';
import { VersionTable } from '../../src/compiler/version-table.ts';
import { upperBoundCode } from '../../src/index/lookup/interval.ts';
import { productTypeFacts } from '../../src/index/product-type.ts';
import { schemeFacts } from '../../src/index/versions/version-key.ts';
import { assertLinear, counted } from '../support/counted.ts';

test('the work grows with the spans of a product in two schemes, not with their square', () => {
  assertLinear('layout', (count) => {
    const table = new VersionTable();
    const schemes = [schemeFacts('php'), schemeFacts('semver')];
    // One advisory of each scheme; no span of the one ends where a span of the other does.
    const numbers = schemes.map((scheme, advisory) =>
      Array.from({ length: count / 2 }, (_, i) =>
        [`${i}.0.${advisory + 1}`, `${i}.0.${advisory + 5}`].map((text) => table.intern(scheme, text)),
      ),
    );
    const versions = table.sort();
    let reads = 0;
    const onReads = (more: number): void => {
      reads += more;
    };
    const rows = numbers.flat().map((span) => span.map((number) => versions.rowOf[number]));
    const column = (values: Iterable<number>): Uint32Array => counted(Uint32Array.from(values), onReads);
    const { boundVersion, intervalLo, clearVersion } = layOutProducts({
      productType: Uint8Array.of(productTypeFacts('plugin').code),
      published: 2,
      advisoryProduct: Uint32Array.of(0, 0),
      advisoryScheme: Uint8Array.from(schemes, ({ code }) => code),
      advisorySpans: Uint32Array.of(0, 1),
      spanListStart: column([0, count / 2, count]),
      spanFrom: column(rows.map(([from]) => from)),
      spanTo: column(rows.map(([, to]) => to)),
      spanToBound: counted(new Uint8Array(count).fill(upperBoundCode('exclusive')), onReads),
      spanFixedIn: column(rows.map(([, to]) => to)),
      versions: {
        ...versions,
        keyRank: counted(versions.keyRank, onReads),
        rowOfRank: counted(versions.rowOfRank, onReads),
        compareRank: (rank, key) => {
          onReads(1);
          return versions.compareRank(rank, key);
        },
      },
    });
    assert.equal(intervalLo.length, count);
    assert.equal(boundVersion.length, 2 * count);
    assert.ok(clearVersion.length > 0);
    return reads;
  });
});
