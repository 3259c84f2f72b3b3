// Whether this process wants requests, the same for the listener of every worker and for the operations listener.

import type { Readiness } from '../http/service.ts';
import type { LifecycleState } from './lifecycle.ts';

/** Of the operations listener alone, which answers before the port is open and while every worker is being replaced. */
export const NO_WORKER: Readiness = {
  kind: 'unready',
  code: 'no_worker',
  detail: 'No worker is listening on the port of the service.',
};

export function readinessOf(
  state: LifecycleState,
  builtAtMs: number | undefined,
  maxSnapshotAgeMs: number | undefined,
  nowMs: number,
): Readiness {
  if (state === 'draining') {
    return { kind: 'unready', code: 'draining', detail: 'This process is shutting down.' };
  }
  if (builtAtMs === undefined) {
    return { kind: 'unready', code: 'no_snapshot', detail: 'No snapshot is loaded yet.' };
  }
  const ageMs = nowMs - builtAtMs;
  if (maxSnapshotAgeMs === undefined || ageMs <= maxSnapshotAgeMs) return { kind: 'ready' };
  const detail = `The data is ${Math.floor(ageMs / 1000)} s old, more than the ${maxSnapshotAgeMs / 1000} s allowed.`;
  return { kind: 'unready', code: 'snapshot_too_old', detail };
}
