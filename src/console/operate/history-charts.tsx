// The figures of the last five minutes or the last hour as small charts.

import { useMemo, useState } from 'preact/hooks';
import type { HistoryDocument } from '../../dialects/operations/document.ts';
import { Chart } from '../parts/chart.tsx';
import type { ChartAxis } from '../parts/chart-props.ts';
import { Choice } from '../parts/choice.tsx';
import { curvesOf, gistOf } from './curves.ts';
import { MINUTES_SPAN, SECONDS_SPAN } from './history.ts';

const SPANS = { seconds: '5 minutes', minutes: '1 hour' } as const;

export function HistoryCharts({ history }: { readonly history: HistoryDocument }) {
  const [span, setSpan] = useState<keyof typeof SPANS>('seconds');
  const { axis, curves } = useMemo(() => {
    const { now } = history;
    const length = span === 'seconds' ? SECONDS_SPAN : MINUTES_SPAN;
    const axis: ChartAxis = { kind: 'time', at: history[span].at, from: now - length, to: now };
    return { axis, curves: curvesOf(history[span]) };
  }, [history, span]);
  return (
    <section class="panel">
      <div class="heading">
        <h2>Load</h2>
        <Choice legend="Time shown" options={SPANS} value={span} onChoice={setSpan} />
      </div>
      <div class="charts">
        {curves.map((curve) => (
          <Chart
            key={curve.title}
            {...curve}
            axis={axis}
            gist={`${curve.title}. ${gistOf(curve, span === 'minutes' ? 'hour' : SPANS.seconds)}`}
          />
        ))}
      </div>
    </section>
  );
}
