// What an operator sees of the source of snapshots, at /status and in the metrics. Owns the names in both;
// snapshots/source-record.ts keeps the state.

import type { SourceDocument } from '../../dialects/operations/document.ts';
import { MANIFEST_STATES, type PollOutcome, type SourceState } from '../snapshots/source-record.ts';
import { type Metric, type Sample, sample } from './exposition.ts';

export function describeSource({ manifest, status, problem, ...state }: SourceState): SourceDocument {
  return {
    url: state.shownAs,
    last_poll: timeOf(state.lastPollAtMs),
    last_success: timeOf(state.lastSuccessAtMs),
    sequence: manifest?.sequence ?? null,
    manifest:
      manifest === undefined
        ? null
        : {
            sequence: manifest.sequence,
            id: manifest.snapshot.id,
            state: status.kind,
            ...(status.kind === 'refused' ? { reason: { code: status.code, message: status.message } } : {}),
            published_at: manifest.published_at,
            expires: manifest.expires,
            activate_at: manifest.activate_at ?? null,
            bytes: manifest.snapshot.size,
            arrived_bytes: status.kind === 'fetching' ? state.arrivedBytes : manifest.snapshot.size,
          },
    problem:
      problem === undefined
        ? null
        : {
            kind: problem.kind,
            ...(problem.kind === 'refused' ? { code: problem.code, sequence: problem.sequence ?? null } : {}),
            message: problem.message,
            since: new Date(problem.sinceMs).toISOString(),
          },
    clock_ahead_seconds: state.clockAheadMs === undefined ? null : Math.round(state.clockAheadMs / 1000),
  };
}

const OUTCOMES: readonly PollOutcome[] = ['done', 'refused', 'failed'];

/** `state` is called at each rendering. */
export function sourceMetrics(
  prefix: string,
  state: () => SourceState,
  nowMs: () => number,
): readonly Metric[] {
  const metric = (
    type: Metric['type'],
    name: string,
    help: string,
    read: (state: SourceState) => readonly Sample[],
  ): Metric => ({ type, name: `${prefix}source_${name}`, help, read: () => read(state()) });
  return [
    metric('counter', 'polls_total', 'Times the source was asked, by how it ended.', ({ polls }) =>
      OUTCOMES.map((outcome) => sample(polls[outcome], { outcome })),
    ),
    metric(
      'gauge',
      'silence_seconds',
      'Time since the source last said what it has.',
      ({ lastSuccessAtMs }) =>
        lastSuccessAtMs === undefined ? [] : [sample((nowMs() - lastSuccessAtMs) / 1000)],
    ),
    metric('counter', 'fetched_bytes_total', 'Bytes of snapshots that came from the source.', (of) => [
      sample(of.fetchedBytes),
    ]),
    metric('gauge', 'sequence', 'Of the manifest that was accepted last.', ({ manifest }) =>
      manifest === undefined ? [] : [sample(manifest.sequence)],
    ),
    metric(
      'gauge',
      'manifest_state',
      'What has become of the snapshot of the manifest: 1 for its state.',
      ({ manifest, status }) =>
        MANIFEST_STATES.map((each) =>
          sample(manifest !== undefined && status.kind === each ? 1 : 0, { state: each }),
        ),
    ),
    metric('gauge', 'manifest_ends_seconds', 'Time until the manifest ends.', ({ manifest }) =>
      manifest === undefined ? [] : [sample((Date.parse(manifest.expires) - nowMs()) / 1000)],
    ),
    metric(
      'gauge',
      'clock_ahead_seconds',
      'How far this clock is ahead of that of the source.',
      ({ clockAheadMs }) => (clockAheadMs === undefined ? [] : [sample(clockAheadMs / 1000)]),
    ),
  ];
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
