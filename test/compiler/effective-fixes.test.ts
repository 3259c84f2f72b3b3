// Fixes inside their own advisory: what replaces them, and what is counted.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Span } from '../../src/index/lookup/interval.ts';
import { effectiveFix } from '../support/oracles/linear-scan.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../support/snapshots/generation.ts';

/** The fixes of an advisory's spans as compiled, in ascending order of the spans, and the counts. */
function compiledFixes(
  t: TestContext,
  spans: readonly Span[],
  npm = false,
): { fixes: (string | null)[]; counts: number[] } {
  const advisory = coreAdvisory(1, { spans, ...(npm ? { product: coreProduct('npm', 'a') } : {}) });
  const generation = generationOf(t, [advisory]);
  const { spanFixedIn, fixCounts } = generation.parts.columns;
  const fixes = Array.from(spanFixedIn, (row) => (row === 0xffff_ffff ? null : generation.versionText(row)));
  // These spans are given in ascending order, so the slow rule can be called in the same order.
  assert.deepEqual(
    fixes,
    spans.map((span) => effectiveFix(advisory, span)),
  );
  return { fixes, counts: Array.from(fixCounts) };
}

test('a fix outside every span is kept', (t) => {
  const spans = [coreSpan(null, '1.5', 'exclusive', '1.5'), coreSpan('2.0', '2.4', 'inclusive', '2.4.1')];
  assert.deepEqual(compiledFixes(t, spans), { fixes: ['1.5', '2.4.1'], counts: [0, 0] });
});

test('a fix inside another span is replaced by the fix of that span, across several spans', (t) => {
  const spans = [
    coreSpan('1.0', '1.5', 'exclusive', '2.0'),
    coreSpan('2.0', '2.5', 'exclusive', '3.0'),
    coreSpan('3.0', '3.5', 'exclusive', '3.5'),
  ];
  assert.deepEqual(compiledFixes(t, spans), { fixes: ['3.5', '3.5', '3.5'], counts: [2, 0] });
});

test('a fix inside its own span, or in a span without a fix, is dropped', (t) => {
  const spans = [
    coreSpan('1.0', '1.5', 'inclusive', '1.5.0'),
    coreSpan('2.0', '2.5', 'exclusive', '3.1'),
    coreSpan('3.0', null),
  ];
  assert.deepEqual(compiledFixes(t, spans), { fixes: [null, null, null], counts: [0, 2] });
});

test('fixes that lead back to themselves are dropped', (t) => {
  const spans = [
    coreSpan('1.0', '1.5', 'exclusive', '2.1'),
    coreSpan('2.0', '2.5', 'exclusive', '3.1'),
    coreSpan('3.0', '3.5', 'exclusive', '1.1'),
  ];
  assert.deepEqual(compiledFixes(t, spans), { fixes: [null, null, null], counts: [0, 3] });
});

test('of several spans that contain a fix, the one that a lookup would report is followed', (t) => {
  const spans = [
    coreSpan(null, '9.0', 'exclusive', '9.0'),
    coreSpan('1.0', '5.0', 'exclusive', '3.0'),
    coreSpan('3.0', '3.5', 'exclusive', '9.5'),
  ];
  assert.deepEqual(compiledFixes(t, spans).fixes, ['9.0', '9.5', '9.5']);
});

test('a fix that is not a version of its scheme is kept as in the feed', (t) => {
  const spans = [coreSpan('1.0.0', '2.0.0', 'exclusive', 'the next one')];
  assert.deepEqual(compiledFixes(t, spans, true), { fixes: ['the next one'], counts: [0, 0] });
});
