import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  asSeverity,
  compareSeverity,
  SEVERITIES,
  SEVERITY_TITLES,
  severityOf,
} from '../../../src/console/parts/severity-scale.ts';

test('scores are rated as CVSS does', () => {
  const scores = [10, 9, 8.9, 7, 6.9, 4, 3.9, 0.1, 0];
  const ratings = ['critical', 'critical', 'high', 'high', 'medium', 'medium', 'low', 'low', 'none'];
  assert.deepEqual(scores.map(severityOf), ratings);
  assert.equal(severityOf(null), 'unknown');
  assert.equal(severityOf(undefined), 'unknown');
});

test('a severity that an answer does not have, or that is new, is unknown', () => {
  for (const severity of SEVERITIES) assert.equal(asSeverity(severity), severity);
  for (const text of [null, undefined, '', 'Critical', 'severe', 'constructor'])
    assert.equal(asSeverity(text), 'unknown');
});

test('the worst comes first, and each has a title', () => {
  assert.deepEqual([...SEVERITIES].reverse().sort(compareSeverity), SEVERITIES);
  assert.deepEqual(Object.keys(SEVERITY_TITLES), [...SEVERITIES]);
});
