// The version to update to, for products with versions of one scheme and of several. One scheme is also
// compared with a slow twin in interval-index.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE } from '../../../src/index/columns.ts';
import { updateOf } from '../../support/answers/verdicts.ts';
import { coreAdvisory, coreSpan, generationOf } from '../../support/snapshots/generation.ts';

test('the update of an affected version is the lowest named one above to which nothing applies', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { spans: [coreSpan(null, '1.5', 'exclusive', '1.5')] }),
    coreAdvisory(2, { spans: [coreSpan('1.5', '2.0', 'exclusive', '2.0')] }),
    coreAdvisory(3, { spans: [coreSpan('3.0', null)] }),
  ]);
  for (const [version, update] of [
    ['1.0', '2.0'],
    ['1.5', '2.0'],
    ['2.0', null], // nothing applies
    ['2.0.1', null],
    ['3.0', null],
    ['-', null],
  ] as const) {
    assert.equal(updateOf(generation, 'plugin', 'gallery', version), update, version);
  }
  assert.equal(updateOf(generation, 'plugin', 'unknown', '1.0'), null);
});

test('a version of nines alone, which nobody published, is no update and no fix', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { spans: [coreSpan(null, '99.999.9999', 'exclusive', '99.999.9999')] }),
  ]);
  assert.equal(updateOf(generation, 'plugin', 'gallery', '1.0'), null);
  const { columns } = generation.parts;
  assert.deepEqual([...columns.spanFixedIn], [NONE]);
  const real = generationOf(t, [coreAdvisory(1, { spans: [coreSpan(null, '9.9.9', 'exclusive', '9.9.9')] })]);
  assert.equal(updateOf(real, 'plugin', 'gallery', '1.0'), '9.9.9');
});

test('of the updates under several schemes the lowest counts, by the order of the type', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { versionScheme: 'php', spans: [coreSpan(null, '1.0', 'exclusive', '3.0')] }),
    coreAdvisory(2, { versionScheme: 'decimal', spans: [coreSpan(null, '0.5', 'exclusive', '2.5')] }),
  ]);
  for (const [version, update] of [
    ['0.1', '1.0'],
    ['0.7', '1.0'],
    ['1.0', null],
  ] as const) {
    assert.equal(updateOf(generation, 'plugin', 'gallery', version), update, version);
  }
});
