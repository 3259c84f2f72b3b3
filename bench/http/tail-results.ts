// How late the last answers came, as a table.

import { compare, type Pair, ratioText } from '../comparison.ts';
import { figureOf, markdownTable, percent } from '../figures.ts';
import { TARGET_LABELS, type TargetName } from './targets.ts';
import type { WrkResult } from './wrk.ts';

export type Situation = 'a full core' | 'half of that' | 'half, with swaps';
/** By server, then by situation: a result of each start. */
export type TailResults = Map<TargetName, Map<Situation, readonly WrkResult[]>>;

const HEADINGS = ['situation', 'server', 'requests/s', 'p99 µs', 'ratio', 'p99.9 µs', 'ratio'];
const TAILS = [({ p99 }: WrkResult) => p99, ({ p999 }: WrkResult) => p999];

/**
 * Microseconds, the median of the starts and their spread. Ratios are to bare uWebSockets.js, and with swaps
 * to the same server without.
 */
export function tailTable(results: TailResults, seconds: number): string {
  const rows = [...results].flatMap(([name, situations]) =>
    [...situations].map(([situation, all]) => {
      const isSwap = situation === 'half, with swaps';
      const base = isSwap ? situations.get('half of that') : results.get('uws')?.get(situation);
      const cells = TAILS.flatMap((of) => {
        const { median, spread } = figureOf(all.map(of));
        const pairs = all.map((each, i): Pair[] => [[of(each), of(base?.[i] ?? each)]]);
        const isOwnBase = base === undefined || base === all;
        return [`${median.toFixed(0)} (${percent(spread)})`, isOwnBase ? '' : ratioText(compare(pairs))];
      });
      const { median: perSecond } = figureOf(all.map(({ requests }) => requests / seconds));
      return [situation, TARGET_LABELS[name], Math.round(perSecond).toLocaleString('en-US'), ...cells];
    }),
  );
  return markdownTable(HEADINGS, rows, 2);
}
