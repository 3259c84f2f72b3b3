// Metrics that are read when they are rendered, as prom-client's registry takes them.

import type { Metric as Registered, Registry } from 'prom-client';

/** The media type of what a registry renders. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** For a histogram only, whose lines are named after their part: `_bucket`, `_sum` or `_count`. */
  readonly part?: string;
}

export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly read: () => readonly Sample[];
}

/** Requires: names, also of labels, that the format admits. */
export function register(registry: Registry, { type, name, help, read }: Metric): void {
  const shown = ({ part = '', ...figures }: Sample): object => ({ ...figures, metricName: name + part });
  const get = async (): Promise<object> => ({ type, name, help, values: read().map(shown) });
  registry.registerMetric({ name, get } as unknown as Registered); // all of it that the registry asks for
}

export function sample(value: number, labels: Labels = {}): Sample {
  return { labels, value };
}

/**
 * `cumulative` has, for each of `bounds`, the observations up to it; `count` has all.
 * `bucketLabels` adds `le` to `labels`.
 */
export function histogramSamples(
  bounds: readonly number[],
  { cumulative, count, sum }: { cumulative: readonly number[]; count: number; sum: number },
  labels: Labels,
  bucketLabels: (le: string) => Labels,
): readonly Sample[] {
  return [
    ...bounds.map((bound, i) => ({
      part: '_bucket',
      labels: bucketLabels(String(bound)),
      value: cumulative[i],
    })),
    { part: '_bucket', labels: bucketLabels('+Inf'), value: count },
    { part: '_sum', labels, value: sum },
    { part: '_count', labels, value: count },
  ];
}
