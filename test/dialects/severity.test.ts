// The severity that dialects share.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severityFacts, severityFrom, severityOfScore } from '../../src/dialects/severity.ts';
import { coreAdvisory, generationOf } from '../support/snapshots/generation.ts';

test('a score has the word of the CVSS 3 scale', () => {
  assert.deepEqual([0, 0.1, 3.9, 4, 6.9, 7, 8.9, 9, 10].map(severityOfScore), [
    ...['none', 'low', 'low', 'medium', 'medium', 'high', 'high', 'critical', 'critical'],
  ]);
});

test('malware is critical; else the label decides, if it is a word for a severity; else the score', (t) => {
  const rows = [
    { changes: { kind: 'malware', severity: 'low' }, score: 1, expected: 'critical' },
    { changes: { severity: ' MODERATE ' }, score: 9.8, expected: 'medium' },
    { changes: { severity: 'None' }, score: 9.8, expected: 'none' },
    { changes: { severity: 'constructor' }, score: 9.8, expected: 'critical' },
    { changes: { severity: '' }, score: 3.9, expected: 'low' },
    { changes: { severity: 'informational' }, score: null, expected: null },
    { changes: { severity: '' }, score: -1, expected: null },
  ] as const;
  const generation = generationOf(
    t,
    rows.map(({ changes }, i) => coreAdvisory(i + 1, changes)),
  );
  for (const [i, { score, expected }] of rows.entries()) {
    const ordinal = generation.findId(i + 1);
    assert.ok(ordinal !== undefined);
    assert.equal(severityFrom(severityFacts(generation, ordinal, score)), expected, String(i));
  }
});
