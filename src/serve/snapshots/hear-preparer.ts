// Handles what the preparer reports: tells the workers, and updates the record, the metrics and the log.

import type { Conditions } from '../conditions.ts';
import type { Log } from '../log/log.ts';
import type { PostedFiles } from '../messages.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { SupervisorRecord } from '../supervisor-record.ts';
import { collectGarbageAtLast } from '../thread.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { PreparerEvents } from './preparer.ts';

interface Listeners {
  readonly pool: Pick<WorkerPool, 'tellChanges' | 'setFiles'>;
  readonly record: Pick<SupervisorRecord, 'prepared'>;
  readonly metrics: Pick<Metrics, 'preparerFailed'>;
  readonly conditions: Pick<Conditions, 'begin' | 'end'>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

const CONDITION = 'preparation_failed';
/** For what is missing; the files of other dialects are served. */
const ANSWERED = '503 preparing';

/** Of prepared files, in a log line. */
const MOST_NAMES = 50;

export function preparerEvents({ pool, record, metrics, conditions, log }: Listeners): PreparerEvents {
  return {
    onChanges: (changes) => {
      pool.tellChanges(changes);
      const { from, to, ids, tookMs } = changes;
      const count = ids.reduce((sum, { length }) => sum + length, 0);
      log.info({ from, to, changes: count, tookMs: Math.round(tookMs) }, 'changes are listed');
    },
    onFiles: (files) => {
      pool.setFiles(files);
      record.prepared(files);
      collectGarbageAtLast(); // the previous files
      log.info(describeFiles(files), 'files are prepared');
    },
    onFinished: (failures) => {
      if (failures.length === 0) conditions.end(CONDITION);
      else {
        const reason = [...new Set(failures.map(({ what }) => what))].join(', ');
        conditions.begin(CONDITION, {
          answered: ANSWERED,
          reason,
          members: { errors: failures.map(({ what, reason }) => `${what}: ${reason}`) },
        });
      }
    },
    onFailure: (error, backOffMs) => {
      metrics.preparerFailed();
      conditions.begin(CONDITION, { answered: ANSWERED, reason: 'its thread ended early' });
      log.error({ err: error, backOffMs }, 'preparing files and changes failed and is tried again');
    },
  };
}

function describeFiles({ snapshot, files, bytes, tookMs }: PostedFiles): object {
  const names = files.slice(0, MOST_NAMES).map(([name]) => name);
  return { id: snapshot, count: files.length, files: names, bytes, tookMs: Math.round(tookMs) };
}
