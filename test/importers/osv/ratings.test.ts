import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CvssRating,
  cvssOf,
  cweNumbers,
  ratingOf,
  severityWord,
  weaknessOf,
} from '../../../src/importers/osv/ratings.ts';
import type { FieldProblem } from '../../../src/importers/record/feed-schema.ts';

const V2 = { type: 'CVSS_V2', score: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' };
const V3 = { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' };
const V4 = { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N' };

function rated(severity: unknown): { rating: CvssRating | undefined; problems: string[] } {
  const found: FieldProblem[] = [];
  const rating = cvssOf(severity, 'severity', found);
  return { rating, problems: found.map(({ field, message }) => `${field}: ${message}`) };
}

test('the CVSS rating is that of version 3 if there is one, else of 4, else of 2', () => {
  const scores = [[V2, V4, V3], [V2, V4], [V2], []].map((list) => rated(list).rating?.score);
  assert.deepEqual(scores, [9.8, 8.7, 7.5, undefined]);
  assert.equal(rated([V4, V3]).rating?.vector, V3.score);
  assert.deepEqual(rated([{ type: 'Ubuntu', score: 'medium' }]), { rating: undefined, problems: [] });
});

test('a malformed CVSS rating is left out with a problem, and the next one counts', () => {
  const { rating, problems } = rated([{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }, V4, 7]);
  assert.equal(rating?.score, 8.7);
  assert.deepEqual(problems, [
    'severity[0].score: "CVSS:3.1/AV:N" is not a complete CVSS_V3 vector; left out',
  ]);
  assert.deepEqual(rated([{ type: 'CVSS_V3', score: 9.8 }]).problems, [
    'severity[0].score: 9.8 is not a complete CVSS_V3 vector; left out',
  ]);
  assert.deepEqual(rated([{ type: 'CVSS_V3' }]).problems, ['severity[0].score: is required; left out']);
  assert.deepEqual(rated('high').problems, ['severity: must be a list (got "high")']);
});

test('the CVSS rating of the package comes before that of the record', () => {
  const [own, whole] = [rated([V4]).rating, rated([V3]).rating];
  assert.equal(ratingOf(own, whole).score, 8.7);
  assert.equal(ratingOf(undefined, whole).score, 9.8);
  assert.deepEqual(ratingOf(undefined, undefined), { score: null, vector: null });
});

test('the word for the severity is the first one, as it is written', () => {
  assert.equal(
    severityWord({ severity: ' ' }, { severity: 7 }, { severity: 'MODERATE' }, { severity: 'low' }),
    'MODERATE',
  );
  assert.equal(severityWord({}), '');
});

test('the weakness is the first CWE with a name', () => {
  const numbers = cweNumbers(
    { cwe_ids: ['NVD-CWE-noinfo', 'CWE-999999', 'CWE-77'] },
    { cwes: [{ cweId: 'CWE-506' }, 7] },
  );
  assert.deepEqual(numbers, [999999, 77, 506]);
  assert.equal(weaknessOf(numbers)?.id, 77);
  assert.deepEqual(weaknessOf([999999]), { id: 999999, name: null });
  assert.equal(weaknessOf(cweNumbers({ cwe_ids: 'CWE-79' }, { cwes: null })), undefined);
});
