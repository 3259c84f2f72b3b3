import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoreOf, usableVector } from '../../../src/dialects/oss-index/score.ts';

const FACTS = { isMalware: false, label: '', score: null };

test('a score of a source is sent as it is', () => {
  for (const score of [0.1, 7.5, 10]) {
    assert.deepEqual(scoreOf({ ...FACTS, label: 'low', score }), { value: score, isEstimate: false });
  }
  assert.deepEqual(scoreOf({ ...FACTS, score: 75 }), { value: 10, isEstimate: false });
  assert.deepEqual(scoreOf({ ...FACTS, score: 0 }), { value: 0, isEstimate: false });
});

test('without one, the score is the most that is possible', () => {
  const estimates = {
    none: 0,
    low: 3.9,
    moderate: 6.9,
    medium: 6.9,
    high: 8.9,
    critical: 10,
    unheard: 10,
    '': 10,
  };
  for (const [label, value] of Object.entries(estimates)) {
    for (const score of [null, -1]) {
      assert.deepEqual(scoreOf({ ...FACTS, label, score }), { value, isEstimate: true }, label);
    }
  }
});

test('malware scores the most, and a score of 0 yields to the word of the source', () => {
  assert.deepEqual(scoreOf({ isMalware: true, label: 'low', score: 3 }), { value: 10, isEstimate: true });
  assert.deepEqual(scoreOf({ ...FACTS, label: 'high', score: 0 }), { value: 8.9, isEstimate: true });
});

test('a vector is sent only if every client can read it', () => {
  for (const vector of [
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N/E:P/RL:O/RC:C',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N',
    'AV:N/AC:L/Au:N/C:P/I:P/A:P',
  ]) {
    assert.equal(usableVector(vector), vector);
  }
  for (const vector of [null, '', 'high', 'AV:N/AC:L/C:P', 'CVSS:3.1/AV:N/AC:L', 'CVSS:4.0/AV:N']) {
    assert.equal(usableVector(vector), undefined, String(vector));
  }
});
