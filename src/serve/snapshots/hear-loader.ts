// Handles the messages of the loader thread: publishes, and updates the record, the metrics and the log.

import { basename } from 'node:path';
import { withdrawnCount } from '../../index/lookup/id-list.ts';
import type { Guarded } from '../../loader/live/held-back.ts';
import type { Conditions } from '../conditions.ts';
import type { Log } from '../log/log.ts';
import type { FromLoader, PostedFolderState } from '../messages.ts';
import type { Orders } from '../operations/orders/orders.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { SupervisorRecord } from '../supervisor-record.ts';
import { collectGarbageAtLast } from '../thread.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { Preparer } from './preparer.ts';
import type { Source } from './source.ts';
import type { SourceRecord } from './source-record.ts';

export interface Listeners {
  readonly pool: Pick<WorkerPool, 'publish' | 'retire' | 'kept'>;
  readonly preparer: Pick<Preparer, 'prepare'>;
  readonly record: SupervisorRecord;
  readonly orders: Pick<Orders, 'finished'>;
  /** Undefined without a source. */
  readonly source?: Pick<SourceRecord, 'prepared' | 'refused'> | undefined;
  /** What it has fetched may be damaged. Undefined without a source. */
  readonly follower?: Pick<Source, 'suspect'> | undefined;
  readonly metrics: Pick<Metrics, 'loadSucceeded' | 'loadRefused'>;
  readonly conditions: Conditions;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** Never throws: what one message does wrong must not end the process that serves. */
export function hear(message: FromLoader, listeners: Listeners): void {
  try {
    handle(message, listeners);
  } catch (error) {
    listeners.log.error({ err: error, message: message.kind }, 'a message of the loader was not handled');
  }
}

function handle(message: FromLoader, listeners: Listeners): void {
  const { record, metrics, orders, log } = listeners;
  switch (message.kind) {
    case 'loaded':
      handleLoaded(message, listeners);
      break;
    case 'refused':
      record.refused(message.file, message.code, message.message);
      metrics.loadRefused(message.code);
      listeners.source?.refused(basename(message.file), message.code, message.message);
      listeners.follower?.suspect(basename(message.file));
      log.error({ file: message.file, code: message.code, reason: message.message }, 'snapshot refused');
      break;
    case 'older':
      log.warn({ file: message.file, id: message.id }, 'snapshot is not newer than the live one; not loaded');
      break;
    case 'prepared':
      listeners.source?.prepared(message.id);
      log.info({ id: message.id, tookMs: Math.round(message.tookMs) }, 'snapshot prepared');
      break;
    case 'checked':
      log.info({ id: message.id, tookMs: Math.round(message.tookMs) }, 'snapshot checked');
      break;
    case 'retired':
      handleRetired(message, listeners);
      break;
    case 'folder':
      handleFolder(message.state, listeners);
      break;
    case 'roll-back':
      record.rolledBack(message.rollBack);
      reportRollBack(listeners);
      break;
    case 'listed':
      record.setListed(message.snapshots);
      break;
    case 'guarded':
      handleGuarded(message.guarded, listeners);
      break;
    case 'ordered':
      orders.finished(message.number, message.result);
      break;
    case 'marker':
      log.error({ file: message.file, reason: message.problem }, 'marker cannot be followed');
      break;
    case 'priority-kept':
      log.warn({ reason: message.reason }, 'the loader could not lower its priority');
      break;
    case 'scanned':
      break;
  }
}

function handleLoaded(
  { generation, reason }: Extract<FromLoader, { kind: 'loaded' }>,
  listeners: Listeners,
): void {
  const { pool, preparer, record, metrics, conditions, log } = listeners;
  const { parts, file, fileBytes, tookMs } = generation;
  const mayBeOlder = reason === 'rolled-back' || reason === 'previous-retired' || reason === 'manifest';
  if (!mayBeOlder && !record.isNewer(parts)) {
    log.error({ file, id: parts.id }, 'loader sent a snapshot that is not newer; ignored');
    return;
  }
  pool.publish(generation);
  preparer.prepare(pool.kept);
  record.loaded(generation);
  conditions.end('snapshot_faulty');
  metrics.loadSucceeded();
  collectGarbageAtLast(); // the previous generation
  log.info(
    {
      file,
      id: parts.id,
      builtAt: new Date(parts.builtAtMs).toISOString(),
      advisories: parts.columns.advisoryId.length,
      withdrawn: withdrawnCount(parts.columns),
      fileBytes,
      tookMs: Math.round(tookMs),
      reason,
    },
    'snapshot loaded',
  );
}

function handleRetired(
  { id, isReplaced }: Extract<FromLoader, { kind: 'retired' }>,
  { pool, preparer, record, conditions }: Listeners,
): void {
  if (!isReplaced) {
    conditions.begin('snapshot_faulty', { answered: record.answered });
    return;
  }
  pool.retire(id);
  preparer.prepare(pool.kept); // without the changes from the faulty one, which cannot be found
}

function handleGuarded(guarded: Guarded | undefined, { conditions, record }: Listeners): void {
  if (guarded === undefined) conditions.end('snapshot_guarded');
  else {
    const reason = `${guarded.file} (snapshot ${guarded.id})`;
    conditions.begin('snapshot_guarded', { answered: record.answered, reason });
  }
}

function handleFolder(state: PostedFolderState, { conditions, record }: Listeners): void {
  const answered = record.answered;
  if (state.kind !== 'unreadable') conditions.end('snapshot_folder_unreadable');
  if (state.kind !== 'empty') conditions.end('snapshot_folder_empty');
  if (state.kind === 'empty') {
    conditions.begin('snapshot_folder_empty', { answered, members: { message: state.message } });
  }
  if (state.kind === 'unreadable') {
    const { reason, message } = state;
    conditions.begin('snapshot_folder_unreadable', { answered, reason, members: { message } });
  }
}

function reportRollBack({ conditions, record }: Listeners): void {
  const { rollBack } = record;
  const kind = rollBack?.phase.kind;
  if (rollBack !== undefined && kind === 'held') {
    const { file, id } = rollBack.order;
    conditions.begin('rolled_back', {
      answered: `from ${file}`,
      members: { file, id, from: rollBack.from.id },
    });
  } else conditions.end('rolled_back');
  const problem = rollBack?.phase.kind === 'pending' ? rollBack.phase.problem : undefined;
  if (problem === undefined) conditions.end('rollback_not_followed');
  else conditions.begin('rollback_not_followed', { answered: record.answered, reason: problem });
}
