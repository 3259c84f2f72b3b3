// Which curves the history becomes, and each in words. How they are drawn is up to the chart.

import type { Series } from '../../dialects/operations/document.ts';
import { type Column, highest, latest } from '../parts/columns.ts';
import { compact, milliseconds, percent } from '../parts/figures.ts';
import { bytes } from '../parts/words.ts';

export interface Curve {
  readonly title: string;
  readonly form: 'lines' | 'areas';
  readonly format: (value: number) => string;
  readonly isBinary?: boolean;
  readonly series: readonly { readonly title: string; readonly colour: string; readonly values: Column }[];
}

/** Workers beyond these repeat them. */
const WORKER_COLOURS = ['--accent', '--high', '--good', '--critical', '--medium', '--low'] as const;

export function curvesOf(series: Series): readonly Curve[] {
  const one = (title: string, values: Column): Curve['series'] => [{ title, colour: '--accent', values }];
  return [
    {
      title: 'Requests per second',
      form: 'lines',
      format: compact,
      series: one('Requests', series.requests),
    },
    {
      title: 'Duration of requests',
      form: 'lines',
      format: milliseconds,
      series: [
        { title: 'p50', colour: '--accent', values: series.p50_ms },
        { title: 'p99', colour: '--high', values: series.p99_ms },
      ],
    },
    {
      title: 'Answers per second by status',
      form: 'areas',
      format: compact,
      series: [
        { title: '2xx', colour: '--good', values: series.s2xx },
        { title: '3xx', colour: '--low', values: series.s3xx },
        { title: '4xx', colour: '--medium', values: series.s4xx },
        { title: '429', colour: '--high', values: series.s429 },
        { title: '5xx', colour: '--critical', values: series.s5xx },
      ],
    },
    {
      title: 'CPU per worker',
      form: 'lines',
      format: percent,
      series: series.cpu.map((values, worker) => ({
        title: `Worker ${worker}`,
        colour: WORKER_COLOURS[worker % WORKER_COLOURS.length],
        values,
      })),
    },
    {
      title: 'Resident memory',
      form: 'lines',
      format: bytes,
      isBinary: true,
      series: one('Memory', series.rss_bytes),
    },
    {
      title: 'Requests and connections',
      form: 'lines',
      format: compact,
      series: [
        { title: 'In flight', colour: '--high', values: series.in_flight },
        { title: 'Connections', colour: '--accent', values: series.connections },
      ],
    },
    {
      title: 'Bytes not yet sent',
      form: 'lines',
      format: bytes,
      isBinary: true,
      series: one('Pending', series.pending_bytes),
    },
    {
      title: 'Delay of the event loop',
      form: 'lines',
      format: milliseconds,
      series: one('Lag', series.lag_ms),
    },
  ];
}

/** `Over the last hour. p50: now 1 ms, at most 3 ms; p99: not measured.` */
export function gistOf({ series, format }: Curve, span: string): string {
  const parts = series.map(({ title, values }) => {
    const [now, most] = [latest(values), highest(values)];
    return now === null || most === null
      ? `${title}: not measured`
      : `${title}: now ${format(now)}, at most ${format(most)}`;
  });
  return `Over the last ${span}. ${parts.join('; ')}.`;
}
