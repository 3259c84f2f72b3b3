import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../../src/console/app/api.ts';
import { ApiError } from '../../../src/console/app/api.ts';
import {
  type Advisory,
  askFor,
  fixesOf,
  identifierOf,
  inReadingOrder,
  type MatchedRange,
  rangePhrase,
  titleOf,
  whyNot,
} from '../../../src/console/lookup/answers.ts';
import type { Query } from '../../../src/console/lookup/query.ts';
import { pluck } from '../../support/pluck.ts';

function range(
  from: string | null,
  to: string | null,
  bound: string | null,
  fix: string | null,
): MatchedRange {
  return { from_version: from, to_version: to, to_bound: bound, fixed_in: fix };
}

function advisory(id: number, changes: Partial<Advisory> = {}): Advisory {
  return {
    id,
    title: 'NPM: a title',
    url: 'https://advisories.example/',
    cve: '',
    ghsa: '',
    applies: false,
    matched_range: null,
    severity: null,
    cvss: null,
    is_exploited: false,
    ranges: [],
    sources: [],
    ...changes,
  };
}

test('advisories that apply come first, then the worst, then the newest', () => {
  const cvss = (score: number): Pick<Advisory, 'cvss'> => ({ cvss: { score, vector: null } });
  const shuffled = [
    advisory(1),
    advisory(2, { severity: 'low' }),
    advisory(3, { severity: 'critical', ...cvss(9.1) }),
    advisory(4, { applies: true }),
    advisory(5, { severity: 'critical', ...cvss(9.8) }),
    advisory(6, { applies: true, severity: 'medium' }),
    advisory(7, { severity: 'none' }),
    advisory(8),
  ];
  assert.deepEqual(pluck(inReadingOrder(shuffled), 'id'), [6, 4, 5, 3, 2, 8, 1, 7]);
});

test('an advisory is named by its CVE, else its GitHub id, else its number', () => {
  assert.equal(identifierOf({ id: 7, cve: '2026-900001', ghsa: 'GHSA-x' }), 'CVE-2026-900001');
  assert.equal(identifierOf({ id: 7, cve: '', ghsa: 'GHSA-x' }), 'GHSA-x');
  assert.equal(identifierOf({ id: 7, cve: '', ghsa: '' }), '#7');
  assert.equal(titleOf(advisory(1)), 'a title');
});

test('ranges read as words', () => {
  assert.equal(rangePhrase(range(null, null, null, null)), 'all versions');
  assert.equal(rangePhrase(range('1.0', null, null, null)), '1.0 and later');
  assert.equal(rangePhrase(range(null, '1.5', 'exclusive', null)), 'before 1.5');
  assert.equal(rangePhrase(range('1.0', '1.5', 'exclusive', null)), 'from 1.0 before 1.5');
  for (const bound of ['inclusive', 'last-affected', null])
    assert.equal(rangePhrase(range(null, '1.5', bound, null)), 'up to 1.5');
});

test('the fix of the range that decided counts, else those of all ranges, each once', () => {
  const place = {
    axis: 0,
    from_at: null,
    to_at: null,
    decides: false,
    excluded_by: null,
    comparison: '1 > 0',
  };
  const ranges = ['2', null, '2', '3'].map((fix) => ({ ...range(null, null, null, fix), ...place }));
  assert.deepEqual(fixesOf(advisory(1, { ranges })), ['2', '3']);
  assert.deepEqual(fixesOf(advisory(1, { ranges, matched_range: range(null, null, null, '3') })), ['3']);
  assert.deepEqual(fixesOf(advisory(1, { ranges, matched_range: range(null, null, null, null) })), []);
  assert.equal(whyNot(advisory(1, { ranges })), 'outside all of its 4 ranges');
  assert.equal(whyNot(advisory(1, { ranges: ranges.slice(0, 1) })), '1 > 0');
});

const QUERY: Query = { type: 'npm', name: 'x', version: '1.0.0' };

/** An API whose explanations fail, and which records what it was asked. */
function failing(kind: 'forbidden' | 'later', asked: string[]): Api {
  const ask = async (path: string): Promise<unknown> => {
    asked.push(path);
    if (path.startsWith('/explain')) throw new ApiError(kind, 403, '', 'no');
    const item = { id: 1, title: 't', url: 'u', cve: '', ghsa: '', is_exploited: true };
    const vulnerabilities = [{ ...item, cvss: { score: 7.1, vector: null } }];
    return { value: { vulnerabilities, update_to: '1.0.1' }, typesWithoutData: [] };
  };
  return { ask } as Partial<Api> as Api; // the only method that is called
}

test('a key without /explain gets the verdict without reasons', async () => {
  const asked: string[] = [];
  const signal = new AbortController().signal;
  const { isBrief, explanation } = await askFor(failing('forbidden', asked), QUERY, signal);
  assert.deepEqual(asked, ['/explain/npm/x/1.0.0', '/product/npm/x/1.0.0?fix=true']);
  assert.ok(isBrief);
  assert.equal(explanation.update_to, '1.0.1');
  assert.deepEqual(
    explanation.advisories.map(({ id, applies, severity }) => [id, applies, severity]),
    [[1, true, 'high']],
  );
});

test('another failure is not asked around', async () => {
  const asked: string[] = [];
  const signal = new AbortController().signal;
  await assert.rejects(askFor(failing('later', asked), QUERY, signal), { kind: 'later' });
  assert.equal(asked.length, 1);
});
