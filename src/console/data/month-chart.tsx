// The chart of advisories by month and severity.

import { useMemo, useState } from 'preact/hooks';
import { Chart } from '../parts/chart.tsx';
import { Choice } from '../parts/choice.tsx';
import { SEVERITIES, SEVERITY_TITLES } from '../parts/severity-scale.ts';
import { count } from '../parts/words.ts';
import { gistOf, monthsUntil, monthTitle, tickPlaces } from './months.ts';
import type { Statistics } from './statistics.ts';

const SPANS = { recent: 'Last 24 months', all: 'All' } as const;
const RECENT_MONTHS = 24;
const HEIGHT_PX = 240;

export function MonthChart({ statistics }: { readonly statistics: Statistics }) {
  const [span, setSpan] = useState<keyof typeof SPANS>('recent');
  const months = useMemo(() => {
    const { advisories, built_at } = statistics;
    const month = built_at.slice(0, 7); // the month of an ISO time
    return monthsUntil(advisories.by_month, month, span === 'all' ? undefined : RECENT_MONTHS);
  }, [statistics, span]);
  const axis = useMemo(
    () => ({
      kind: 'names' as const,
      names: months.map(({ month }) => monthTitle(month)),
      ticks: (most: number) => tickPlaces(months, most),
    }),
    [months],
  );
  const series = useMemo(
    () =>
      SEVERITIES.filter((severity) => statistics.advisories.by_severity[severity] > 0).map((severity) => ({
        title: SEVERITY_TITLES[severity],
        colour: `--${severity}`,
        values: months.map((counts) => counts[severity]),
      })),
    [months],
  );
  return (
    <section class="panel">
      <div class="heading">
        <h2>Advisories by month</h2>
        <Choice legend="Months shown" options={SPANS} value={span} onChoice={setSpan} />
      </div>
      <Chart
        title={span === 'all' ? 'All months' : `The last ${RECENT_MONTHS} months`}
        gist={gistOf(months)}
        {...{ axis, series, heightPx: HEIGHT_PX, form: 'bars' as const, format: count }}
      />
    </section>
  );
}
