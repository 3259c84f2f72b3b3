// The names of all metrics that a server may export: one with data, a source and quotas of a fleet.

import { allocateCounters, CountersView } from '../../src/serve/counters.ts';
import { Metrics } from '../../src/serve/ops/metrics.ts';
import type { SupervisorState } from '../../src/serve/ops/status.ts';
import { SourceRecord } from '../../src/serve/snapshots/source-record.ts';

/** The names of metrics in an expression or a whole file. */
export function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:vulndex|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
}

export async function exportedMetrics(state: SupervisorState): Promise<ReadonlySet<string>> {
  const metrics = new Metrics(new CountersView(allocateCounters(1)), () => state);
  const source = new SourceRecord('https://data.example/latest.json', () => undefined);
  metrics.exposeLog(() => 0);
  metrics.exposeMaxConnections(1);
  metrics.exposeSource(() => source.state());
  metrics.exposeQuotas();
  return new Set(metricsIn(await metrics.render()));
}
