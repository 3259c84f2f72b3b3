// The text format of Prometheus, version 0.0.4: what a metric is, and how all of them are written.

/** The media type of what `renderMetrics` returns. */
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
  readonly samples: readonly Sample[];
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

/** The text exposition. Requires: names and labels' names that the format admits. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return `${metrics.map(renderMetric).join('\n\n')}\n`;
}

function renderMetric({ type, name, help, samples }: Metric): string {
  const lines = samples.map(
    ({ part = '', labels, value }) => `${name}${part}${renderLabels(labels)} ${renderValue(value)}`,
  );
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** As Go's ParseFloat reads it. */
function renderValue(value: number): string {
  if (Number.isNaN(value)) return 'Nan';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
