import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePreference } from '../../../src/importers/assemble/preference.ts';

const NAMES = ['osv', 'wordfence', 'feed'];

test('without rules the sources are preferred in the order in which they are given', () => {
  assert.deepEqual(parsePreference([], NAMES), {
    order: [0, 1, 2],
    fields: new Map(),
    malware: 'origins',
  });
});

test('a rule puts the sources that it names first, and the others after them in order', () => {
  const { order, fields } = parsePreference(['feed', 'cvss=wordfence', 'affected=feed, wordfence'], NAMES);
  assert.deepEqual(order, [2, 0, 1]);
  assert.deepEqual(
    [...fields],
    [
      ['cvss', [1, 2, 0]],
      ['affected', [2, 1, 0]],
    ],
  );
});

test('what a rule cannot mean is refused with what it can', () => {
  const cases: readonly (readonly [rules: readonly string[], message: RegExp])[] = [
    [['osv,mirror'], /"mirror" is not a source of this run; they are osv, wordfence, feed$/],
    [['cvss=osv-2'], /"osv-2" is not a source/],
    [['cvs=osv'], /"cvs" is not a field that a source can win; they are psid, title, .*ecosystem_specific$/],
    [['id=osv'], /"id" is not a field/],
    [['cves=osv'], /"cves" is not a field/],
    [['affected_versions=osv'], /taken together with affected; write affected=/],
    [['osv,osv'], /names a source twice/],
    [['osv', 'feed'], /already an order for all fields/],
    [['cvss=osv', 'cvss=feed'], /already an order for cvss/],
    [[''], /"" is not a source/],
  ];
  for (const [rules, message] of cases) {
    assert.throws(() => parsePreference(rules, NAMES), { name: 'PreferenceError', message }, rules.join(' '));
  }
});
