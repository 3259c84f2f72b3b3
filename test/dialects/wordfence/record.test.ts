// Words for scores and labels.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cvssOf } from '../../../src/dialects/wordfence/record.ts';
import { ItemView } from '../../../src/index/items/item-view.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

test('a rating is the word of the source’s label, else of the CVSS 3 scale, and missing without a score', (t) => {
  const rows: readonly (readonly [score: number | null, severity: string, rating: string | undefined])[] = [
    [0, '', 'None'],
    [0.1, '', 'Low'],
    [4, 'unknown', 'Medium'],
    [7, '', 'High'],
    [10, '', 'Critical'],
    [9.8, 'Moderate', 'Medium'],
    [9.8, 'none', 'None'],
    [null, 'high', undefined],
  ];
  const generation = generationOf(
    t,
    rows.map(([score, severity], i) => coreAdvisory(i + 1, { severity, cvss: { score, vector: null } })),
  );
  for (const [i, [score, severity, rating]] of rows.entries()) {
    const ordinal = generation.findId(i + 1);
    assert.ok(ordinal !== undefined);
    const view = new ItemView(generation).enter(ordinal);
    assert.equal(cvssOf(generation, view, ordinal)?.rating, rating, `${score} ${severity}`);
  }
});
