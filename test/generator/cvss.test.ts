import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CVSS_VECTORS } from '../../src/generator/cvss.ts';

test('generated CVSS vectors have the scores that the standard gives them', () => {
  const known = {
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H': 9.8,
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H': 10,
    'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H': 8.8,
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H': 7.5,
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N': 6.1,
    'CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:C/C:L/I:L/A:N': 5.4,
    'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:N/I:L/A:N': 4.3,
  };
  const scores = new Map(Object.values(CVSS_VECTORS).flatMap((band) => band.map((v) => [v.vector, v.score])));
  for (const [vector, score] of Object.entries(known)) assert.equal(scores.get(vector), score, vector);
});

test('generated CVSS vectors are in the band of their score', () => {
  assert.ok(CVSS_VECTORS.medium.every(({ score }) => score >= 4 && score < 7));
  assert.ok(CVSS_VECTORS.high.every(({ score }) => score >= 7 && score < 9));
  assert.ok(CVSS_VECTORS.critical.every(({ score }) => score >= 9 && score <= 10));
});
