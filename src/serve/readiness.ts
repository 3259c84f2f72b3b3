// Whether this process is ready for requests, the same on every worker's port and on the operations port.

import type { Readiness } from '../http/readiness.ts';
import type { LifecycleState } from './lifecycle.ts';

/** `--max-snapshot-age`, and what `--stale` does with older data. */
export interface AgeLimit {
  readonly maxMs: number;
  readonly stale: 'serve' | 'unready';
}

/** The limit from the options; undefined without `--max-snapshot-age`. */
export function ageLimit(maxMs: number | undefined, stale: AgeLimit['stale']): AgeLimit | undefined {
  return maxMs === undefined ? undefined : { maxMs, stale };
}

const NO_WORKER: Readiness = {
  kind: 'unready',
  code: 'no_worker',
  detail: 'No worker is listening on the service port.',
};

/** What readiness depends on. */
export interface ProcessState {
  readonly state: LifecycleState;
  /** Of the live snapshot; undefined without one. */
  readonly builtAtMs: number | undefined;
  /**
   * Whether it waits for the first prepared files, as `--ready files` wants. Later ones
   * replace those that are served.
   */
  readonly awaitsFiles: boolean;
}

export function readinessOf(
  { state, builtAtMs, awaitsFiles }: ProcessState,
  limit: AgeLimit | undefined,
  nowMs: number,
): Readiness {
  if (state === 'draining') {
    return { kind: 'unready', code: 'draining', detail: 'This process is shutting down.' };
  }
  if (builtAtMs === undefined) {
    return { kind: 'unready', code: 'no_snapshot', detail: 'No snapshot is loaded yet.' };
  }
  if (awaitsFiles) {
    return {
      kind: 'unready',
      code: 'preparing',
      detail: 'The files of the mounts are still being prepared.',
    };
  }
  if (limit === undefined || !isTooOld(builtAtMs, limit, nowMs)) return { kind: 'ready' };
  const ageSeconds = Math.floor((nowMs - builtAtMs) / 1000);
  const detail = `The data is ${ageSeconds} s old, more than the ${limit.maxMs / 1000} s allowed.`;
  if (limit.stale === 'unready') return { kind: 'unready', code: 'snapshot_too_old', detail };
  return { kind: 'stale', detail: `${detail} It is still served, with a Warning header.` };
}

/**
 * For the operations listener, which answers before the port is open and while
 * every worker is being replaced.
 */
export function readinessOfAll(
  isServing: boolean,
  ...[process, limit, nowMs]: Parameters<typeof readinessOf>
): Readiness {
  if (process.state === 'serving' && !isServing) return NO_WORKER;
  return readinessOf(process, limit, nowMs);
}

export function isTooOld(builtAtMs: number, { maxMs }: Pick<AgeLimit, 'maxMs'>, nowMs: number): boolean {
  return nowMs - builtAtMs > maxMs;
}
