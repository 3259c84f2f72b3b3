// What each scenario may cost, and what it cost when this was written: user time in multiples of bare
// uWebSockets.js sending the same bytes; for loading the time in multiples of parsing the same feed as JSON;
// for a start in those of `node -e 0`. `.ci/nightly speed` prints these beside its figures and warns where
// one is exceeded. It fails only for a loss against an earlier commit: a budget is a goal, most of which no
// commit alone can reach or miss.

import { type Comparison, ratioText } from './comparison.ts';
import { markdownTable } from './figures.ts';

interface Budget {
  readonly wanted: number;
  /** With 20,000 advisories and four requests at a time, or one where they have a body. */
  readonly written: number;
}

/** By the name of a scenario. */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  'exists-hit': { wanted: 1.8, written: 1.84 },
  'exists-miss': { wanted: 1.8, written: 1.85 },
  'product-3': { wanted: 2.1, written: 2.06 },
  'all-100': { wanted: 1.5, written: 1.44 },
  'npm-bulk': { wanted: 150, written: 230 },
  'batch-exists': { wanted: 20, written: 29.5 },
  load: { wanted: 0.25, written: 0.26 },
  'first-answer': { wanted: 6, written: 5.87 },
  version: { wanted: 2, written: 1.39 },
  help: { wanted: 2, written: 1.37 },
};

/** What `npm run bench:start` starts, counted in starts of Node itself; without words, a server. */
export const STARTS = {
  'first-answer': { title: 'serve, to the first answer', words: undefined },
  version: { title: '--version', words: ['--version'] },
  help: { title: '--help', words: ['--help'] },
} as const;
export type StartName = keyof typeof STARTS;

/** What a scenario was measured to cost against what its budget counts in. */
export interface Spent {
  readonly name: string;
  readonly title: string;
  readonly comparison: Comparison;
}

/** Exceeded only if every start was beyond it. */
function isExceeded({ name, comparison }: Spent): boolean {
  return comparison.lowest > BUDGETS[name].wanted;
}

/** A table, and a warning for each budget that is exceeded; empty if none of these has one. */
export function budgetReport(spent: readonly Spent[]): string {
  const known = spent.filter(({ name }) => Object.hasOwn(BUDGETS, name));
  if (known.length === 0) return '';
  const rows = known.map((each) => {
    const { wanted, written } = BUDGETS[each.name];
    const multiple = ratioText({ ...each.comparison, standsOut: true });
    return [each.title, multiple, wanted.toFixed(2), written.toFixed(2), isExceeded(each) ? 'over' : ''];
  });
  const warnings = known.filter(isExceeded).map(({ name, title, comparison }) => {
    const { wanted } = BUDGETS[name];
    return `warning: ${title} costs ${comparison.ratio.toFixed(2)} x, and its budget is ${wanted.toFixed(2)} x`;
  });
  const headings = ['budget', 'multiple', 'wanted', 'when written', ''];
  return [markdownTable(headings, rows, 1), ...warnings].join('\n');
}
