// The budgets: what is said of a scenario inside its budget, and of one beyond it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUDGETS, budgetReport, STARTS } from '../../bench/budgets.ts';
import { compare } from '../../bench/comparison.ts';
import { LOADING, loadingReport, measureLoading } from '../../bench/http/loading.ts';
import { SCENARIO_NAMES } from '../../bench/scenarios.ts';

const startsOf = (...ratios: readonly number[]) => compare(ratios.map((ratio) => [[ratio, 1]]));

test('every budget belongs to something that is measured', () => {
  const names: readonly string[] = [...SCENARIO_NAMES, LOADING, ...Object.keys(STARTS)];
  for (const [name, { wanted, written }] of Object.entries(BUDGETS)) {
    assert.ok(names.includes(name), name);
    assert.ok(wanted > 0 && written > 0, name);
  }
});

test('a budget is exceeded if every start is beyond it, and only then is there a warning', () => {
  const { wanted, written } = BUDGETS['exists-hit'];
  const of = (...shares: readonly number[]) => startsOf(...shares.map((share) => share * wanted));
  const text = budgetReport([
    { name: 'exists-hit', title: 'far', comparison: of(1.5, 1.1, 2) },
    { name: 'exists-hit', title: 'near', comparison: of(1.5, 0.9, 2) },
    { name: 'zipf', title: 'without', comparison: of(9) },
  ]);
  const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const figures = [wanted.toFixed(2), written.toFixed(2)];
  assert.deepEqual(rows[2], ['', 'far', '2.70 (1.98 to 3.60)', ...figures, 'over', '']);
  assert.deepEqual(rows[3], ['', 'near', '2.70 (1.62 to 3.60)', ...figures, '', '']);
  assert.deepEqual(text.match(/^warning: .*$/gm), ['warning: far costs 2.70 x, and its budget is 1.80 x']);
  assert.doesNotMatch(text, /without/);
  assert.equal(budgetReport([{ name: 'zipf', title: 'without', comparison: of(9) }]), '');
});

test('builds load, and JSON.parse parses, in turn; a loss is against the other build alone', () => {
  const asked: string[] = [];
  const took: Readonly<Record<string, number>> = { own: 300, other: 200, feed: 100 };
  const plan = {
    own: { checkout: '.', snapshot: 'own' },
    against: { checkout: 'there', snapshot: 'other' },
    feed: 'feed',
    advisories: 20_000,
  };
  const clock = (checkout: string, file: string): number => {
    asked.push(`${checkout} ${file}`);
    return took[file];
  };
  const loading = measureLoading(plan, 5, clock);
  assert.deepEqual(asked.slice(0, 4), ['. own', 'there other', '- feed', '. own']);
  assert.equal(
    loadingReport(loading),
    'load of 20,000: 300 ms (0 %); against parsing the feed as JSON 3.00 (3.00 to 3.00); ' +
      'against the other build 1.50 (1.50 to 1.50)',
  );
  assert.equal(loading.toOther?.ratio, 1.5);
  const alone = measureLoading({ ...plan, against: undefined }, 5, clock);
  assert.equal(alone.toOther, undefined);
});
