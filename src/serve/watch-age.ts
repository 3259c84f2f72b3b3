// Whether the data is too old, as a condition for the log, the metrics and /status.

import type { Conditions } from './conditions.ts';
import { type AgeLimit, isTooOld } from './readiness.ts';
import type { SupervisorRecord } from './supervisor-record.ts';

/** How often it is checked here; each answer checks it separately. */
const CHECK_MS = 1_000;

/**
 * Reports once when the data has become too old, and once when it no longer is. Requests with a valid key are
 * answered from it in either case: `--stale` only decides whether the balancer is sent elsewhere.
 */
export function watchAge(
  limit: AgeLimit,
  record: Pick<SupervisorRecord, 'builtAtMs'>,
  conditions: Conditions,
): void {
  const answered =
    limit.stale === 'serve'
      ? 'from the live snapshot, with a Warning header'
      : 'from the live snapshot, with a Warning header; /readyz is 503 snapshot_too_old';
  const check = (): void => {
    const { builtAtMs } = record;
    if (builtAtMs === undefined || !isTooOld(builtAtMs, limit, Date.now()))
      conditions.end('snapshot_too_old');
    else
      conditions.begin('snapshot_too_old', {
        answered,
        reason: `built ${new Date(builtAtMs).toISOString()}, more than ${limit.maxMs / 1000} s ago`,
      });
  };
  check();
  setInterval(check, CHECK_MS).unref();
}
