// Handles what becomes of the keys file: tells the workers, and updates the
// conditions, the metrics and the log.

import type { Conditions } from '../conditions.ts';
import type { Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { KeysEvents } from './keys-in-force.ts';

interface Listeners {
  readonly pool: Pick<WorkerPool, 'setKeys'>;
  /** Undefined: quotas are of this process alone. */
  readonly limits: Pick<Limits, 'setKeys'> | undefined;
  readonly conditions: Pick<Conditions, 'begin' | 'end'>;
  readonly metrics: Pick<Metrics, 'keysFileStalled'>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

const STALLED = 'the storage of the keys file does not answer; key changes are not seen until it does';

export function keysEvents({ pool, limits, conditions, metrics, log }: Listeners): KeysEvents {
  return {
    onChanged: (posted, keyCount) => {
      pool.setKeys(posted);
      limits?.setKeys(posted);
      log.info({ keys: keyCount }, 'keys file changed');
    },
    onRefused: (error) =>
      conditions.begin('keys_file_refused', {
        answered: 'with the keys read before',
        members: { err: error },
      }),
    onRecovered: () => conditions.end('keys_file_refused'),
    onStalled: (stalledMs) => {
      metrics.keysFileStalled(true);
      log.error({ stalledMs: Math.round(stalledMs) }, STALLED);
    },
    onResumed: () => {
      metrics.keysFileStalled(false);
      log.info('the storage of the keys file answers again');
    },
  };
}
