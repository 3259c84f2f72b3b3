// The words of severity: the source's own, by CVSS score, and for malware.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { severityOf } from '../../../src/dialects/npm-audit/severity.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

test('a score has the word of its band', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  const bands = { low: [0, 0.05, 0.1, 3.9], moderate: [4, 6.9], high: [7, 8.9], critical: [9, 10] };
  for (const [word, scores] of Object.entries(bands)) {
    for (const score of scores) assert.equal(severityOf(generation, 0, score), word, String(score));
  }
  for (const unrated of [null, -1]) assert.equal(severityOf(generation, 0, unrated), 'moderate');
});

test('the label of the source wins over the score, in any case, in the words of npm', (t) => {
  const rows: readonly [severity: string, kind: Advisory['kind'], word: string][] = [
    ['CRITICAL', 'vulnerability', 'critical'],
    ['High', 'vulnerability', 'high'],
    ['MODERATE', 'vulnerability', 'moderate'],
    [' medium ', 'informational', 'moderate'],
    ['low', 'vulnerability', 'low'],
    ['info', 'vulnerability', 'info'],
    ['Informational', 'informational', 'info'],
    ['none', 'vulnerability', 'high'],
    ['', 'vulnerability', 'high'],
    ['constructor', 'vulnerability', 'high'],
    ['low', 'malware', 'critical'],
  ];
  const generation = generationOf(
    t,
    rows.map(([severity, kind], i) => coreAdvisory(i + 1, { severity, kind })),
  );
  for (const [i, [severity, , word]] of rows.entries()) {
    const ordinal = generation.findId(i + 1);
    assert.ok(ordinal !== undefined);
    assert.equal(severityOf(generation, ordinal, 7.5), word, severity);
  }
});
