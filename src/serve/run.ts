// The supervisor: the main thread of a serving process. It owns the choice of ports, the keys file, the
// snapshot folder (through the loader thread), the worker threads, the operations listener and the signals;
// it answers no client requests.

import { EventEmitter, once } from 'node:events';
import { KeysFileError } from '../access/read-keys.ts';
import { selectDialects } from '../dialects/mounts.ts';
import { RateLimiterFullError } from '../http/callers/rate-limit.ts';
import { VERSION } from '../http/openapi/document.ts';
import type { Readiness } from '../http/readiness.ts';
import { pickTransport, TransportError, type TransportSetting } from '../http/transport/transports.ts';
import { type ClientChoice, planClients, servedMounts } from './clients.ts';
import { Conditions } from './conditions.ts';
import { allocateCounters, CountersView, clearGauges } from './counters.ts';
import { type Greet, greeting } from './greeting.ts';
import { keysEvents } from './keys/hear-keys.ts';
import { KeysInForce } from './keys/keys-in-force.ts';
import { Lifecycle } from './lifecycle.ts';
import { limitsEvents } from './limits/hear-limits.ts';
import { Limits } from './limits/limits.ts';
import { openLog } from './log/log.ts';
import { LogSink } from './log/log-sink.ts';
import type { LimitsChoice } from './messages.ts';
import { SharedBytes } from './operations/figures/shared-bytes.ts';
import { Orders } from './operations/orders/orders.ts';
import { Reporter } from './operations/reporter.ts';
import { allocateLookups } from './operations/requests/lookup-ring.ts';
import { SlowestTable } from './operations/requests/slow-requests.ts';
import { Metrics } from './ops/metrics.ts';
import { listenOps } from './ops/ops-server.ts';
import { renderStatus, type SupervisorState } from './ops/status.ts';
import { openPages } from './pages/open-pages.ts';
import { choosePort, ListenError, urlOf } from './ports.ts';
import { ageLimit, readinessOfAll } from './readiness.ts';
import { ServiceManager } from './service-manager.ts';
import { outliveReaders, refuseDebugger, signalled, testLimits } from './signals.ts';
import { hear } from './snapshots/hear-loader.ts';
import { preparerEvents } from './snapshots/hear-preparer.ts';
import { sourceHearer } from './snapshots/hear-source.ts';
import type { Loader } from './snapshots/loader.ts';
import { Preparer } from './snapshots/preparer.ts';
import { Source } from './snapshots/source.ts';
import type { SourceData } from './snapshots/source-messages.ts';
import { SourceRecord } from './snapshots/source-record.ts';
import { SupervisorRecord } from './supervisor-record.ts';
import { watchAge } from './watch-age.ts';
import { DescriptorWatch, fitMaxConnections } from './workers/descriptors.ts';
import { coreCount, countWorkers, ONE_WORKER } from './workers/worker-count.ts';
import { WorkerPool } from './workers/worker-pool.ts';

export { clientProblem } from './clients.ts';

export interface RunOptions extends ClientChoice {
  /** Undefined: a key is generated for this run. */
  readonly keys: string | undefined;
  /** Undefined: this process counts by itself. */
  readonly limits: LimitsChoice | undefined;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly opsHost: string;
  /** 0 picks a free port. */
  readonly opsPort: number;
  /** Undefined: one per core, or one if threads cannot share a port. */
  readonly workers: number | undefined;
  readonly transport: TransportSetting;
  readonly latestAnchor: 'clock' | 'snapshot';
  readonly drainSeconds: number;
  /** Milliseconds. */
  readonly maxSnapshotAge: number | undefined;
  readonly stale: 'serve' | 'unready';
  /** What /readyz waits for: a snapshot, or also the first prepared files. */
  readonly ready: 'data' | 'files';
  /** How many snapshots are kept in memory beside the live one. */
  readonly keepGenerations: number;
  readonly maxConnections: number;
  /** For all workers together. */
  readonly maxHeldBytes: number;
  readonly accessLog: number;
  /** How many products a line of the access log names; 0 for none. */
  readonly corsOrigin: readonly string[];
  /** Where snapshots come from; undefined for the folder alone. */
  readonly from?: FollowedSource | undefined;
  /** Lines for the person at the terminal, printed before the one that says where the server listens. */
  readonly greet?: Greet;
}

/** A source, and how messages show it. */
interface FollowedSource {
  readonly shownAs: string;
  readonly data: Omit<SourceData, 'version'>;
}

/** For the last lines of the log: their reader may have stopped. */
const LAST_LINES_MS = 500;
/** Errors of `run` that the operator can fix. */
export const START_ERRORS = [KeysFileError, TransportError, ListenError, RateLimiterFullError];

/**
 * Serves until a signal ends it. Throws START_ERRORS, and leaves it to the caller then to abandon the loader
 * of those snapshots. Requires: options without a `clientProblem`.
 */
export async function run(options: RunOptions, loader: Loader): Promise<void> {
  outliveReaders();
  const selection = selectDialects(options);
  // First: workers see the addon's settings only if they are in this thread's environment.
  const { kind: transport, reason } = await pickTransport(options.transport);
  const workers = countWorkers(options.workers, transport);
  const port = await choosePort(options);
  const keys = await KeysInForce.open(options.keys);
  const { runKey } = keys;
  const limits =
    options.limits === undefined ? undefined : new Limits(options.limits, keys.limiter, keys.posted);
  const sink = new LogSink({
    onRecovered: (dropped) =>
      log.warn({ dropped }, 'log lines were dropped: they came faster than they were read'),
  });
  const log = openLog(sink.write);
  log.info(
    { transport, ...(reason === undefined ? {} : { reason }), workers, node: process.version },
    'starting',
  );
  if (options.workers === undefined && workers < coreCount()) log.warn({ workers }, ONE_WORKER);
  refuseDebugger(log);
  const serviceManager = ServiceManager.open(process.env, log); // now: it starts a program, cheap while this one is small
  let hasScanned = false;
  const scans = new EventEmitter();
  const firstScan = once(scans, 'end');
  const record = new SupervisorRecord(transport, servedMounts(selection));
  const { from } = options;
  const sourceRecord = from && new SourceRecord(from.shownAs, () => record.generation?.parts.id);
  const orders = new Orders({
    folder: () =>
      hasScanned ? { ...record.orderable, isRolledBack: record.rollBack !== undefined } : undefined,
    pass: (number, order) => loader.order(number, order),
    onChanged: () => reporter.changed(),
    log,
  });
  const lifecycle = new Lifecycle();
  const counters = allocateCounters(workers);
  const view = new CountersView(counters);
  const lookups = allocateLookups(workers);
  loader.sample(lookups);
  const conditions = new Conditions(log);
  const limit = ageLimit(options.maxSnapshotAge, options.stale);
  const prepares = selection.dialects.filter(({ prepare }) => prepare !== undefined).map(({ name }) => name);
  const isReadyWithFiles = options.ready === 'files' && prepares.length > 0;
  const maxConnections = fitMaxConnections(options.maxConnections, workers, log);
  const state = (): SupervisorState =>
    record.state(
      pool.states(),
      keptIds(pool),
      lifecycle.state === 'draining',
      conditions.active,
      limits?.state,
    );
  const metrics = new Metrics(view, state);
  if (sourceRecord !== undefined) metrics.exposeSource(() => sourceRecord.state());
  metrics.exposeLog(() => sink.dropped);
  metrics.exposeMaxConnections(maxConnections);
  if (limits !== undefined) metrics.exposeQuotas();
  const pages = options.console ? openPages(selection, log) : undefined;
  const pool = new WorkerPool(
    {
      transport,
      sharesPort: workers > 1,
      host: options.host,
      port,
      latestAnchor: options.latestAnchor,
      keepGenerations: options.keepGenerations,
      ageLimit: limit,
      isReadyWithFiles,
      maxConnections,
      maxHeldBytes: Math.floor(options.maxHeldBytes / workers),
      accessLogRate: options.accessLog,
      corsOrigins: options.corsOrigin,
      clients: planClients(options),
      pages: pages?.service,
      limiter: keys.limiter,
      leases: limits?.leases,
      counters,
      lifecycle: lifecycle.buffer,
      lookups,
    },
    keys.posted,
    (index) => view.beat(index),
    {
      onRestart: (worker, reason, message, backOffMs) => {
        clearGauges(counters, worker);
        metrics.workerRestarted(reason);
        log.error({ worker, reason, message, backOffMs }, 'worker is replaced');
      },
      onStuck: (worker) => {
        log.error(
          { worker },
          'worker can be neither interrupted nor ended; the process ends to be restarted',
        );
        // An orderly end would wait for the worker, or abort in its loop.
        process.kill(process.pid, 'SIGKILL');
      },
      onLog: ({ lines, dropped }) => {
        sink.write(lines);
        sink.addDropped(dropped);
      },
      answer: (question) => {
        switch (question.kind) {
          case 'now':
            return reporter.now();
          case 'history':
            return reporter.history(question.sinceSeconds);
          case 'order':
            return orders.take(question.order);
        }
      },
      onSlow: (requests) => slowest.add(requests),
    },
    testLimits(),
  );
  const slowest = new SlowestTable();
  const sharedBytes = new SharedBytes();
  const reporter = new Reporter(lookups, {
    counters: view,
    keys: () => keys.posted,
    limiter: keys.limiter,
    generations: () => pool.kept.list.map(({ generation }) => generation.parts),
    parts: () => ({
      state: state(),
      source: sourceRecord?.state(),
      lastOrder: orders.last,
      refusals: record.refusals,
      listed: record.listed,
      slowest: slowest.top(Date.now()),
      logDropped: sink.dropped,
      sharedBytes: sharedBytes.of(pool.kept.list, pool.files, keys.posted, counters),
    }),
    onError: (error) => log.error({ err: error }, 'the figures of this second are lost'),
  });

  const preparer = new Preparer({
    dialects: prepares,
    ...preparerEvents({ pool, record, metrics, conditions, log }),
  });
  // From here on: without a handler the signal would end the process.
  process.on('SIGHUP', () => {
    log.info('rescanning snapshots');
    loader.scan();
  });
  const source =
    from &&
    sourceRecord &&
    new Source(
      { ...from.data, version: VERSION },
      {
        onMessage: sourceHearer({
          source: sourceRecord,
          loader,
          answered: () => record.answered,
          conditions,
          log,
        }),
        onFailure: (error, backOffMs) =>
          log.error(
            { err: error, backOffMs },
            'the thread that follows the source died and is being restarted',
          ),
      },
    );
  // Now, as all that its messages need is there.
  loader.follow(() => record.inheritance(), {
    onMessage: (message) => {
      hear(message, {
        pool,
        preparer,
        record,
        orders,
        source: sourceRecord,
        follower: source,
        metrics,
        conditions,
        log,
      });
      reporter.changed();
      if (message.kind !== 'scanned') return;
      hasScanned = true;
      scans.emit('end');
    },
    onFailure: (error) => {
      log.error({ err: error }, 'the loader thread died and is being restarted');
      orders.lost();
    },
    onStuck: () => {
      conditions.begin('loader_stuck', { answered: record.answered });
      orders.stuck();
    },
    onResumed: () => {
      conditions.end('loader_stuck');
      orders.resumed();
    },
  });
  reporter.start();
  const readiness = (): Readiness => {
    const awaitsFiles = isReadyWithFiles && pool.files === undefined;
    const { builtAtMs } = record;
    return readinessOfAll(
      pool.isServing,
      { state: lifecycle.state, builtAtMs, awaitsFiles },
      limit,
      Date.now(),
    );
  };
  limits?.start(limitsEvents({ conditions, log }));
  const ops = await listenOps({
    host: options.opsHost,
    port: options.opsPort,
    readiness,
    liveId: () => record.generation?.parts.id,
    metrics: () => metrics.render(),
    status: () => renderStatus(state(), view, Date.now(), sourceRecord?.state()),
    pages,
    operations: {
      now: async () => reporter.now(),
      history: async (sinceSeconds) => reporter.history(sinceSeconds),
      order: (order) => orders.carriedOut(order),
    },
    onError: (error) => log.error({ err: error }, 'error in the operations listener'),
  }).catch(async (error: unknown) => {
    await Promise.all([preparer.stop(), source?.stop(), limits?.stop()]);
    reporter.stop();
    throw error;
  });
  try {
    await Promise.all([pool.start(workers), firstScan]);
  } catch (error) {
    reporter.stop();
    await Promise.all([pool.stop(), ops.close(), preparer.stop(), source?.stop(), limits?.stop()]);
    throw new ListenError(`cannot listen on ${options.host}:${port}: ${(error as Error).message}`, {
      cause: error,
    });
  }

  // Before anyone can read that it is listening: without a handler a signal would
  // end the process without a drain.
  const stopSignal = signalled();
  const address = urlOf(options.host, port);
  if (runKey !== undefined) sink.print(`no keys file; key for this run: ${runKey}`);
  const consoleUrl = pages?.isBuilt ? `${address}/console/` : undefined;
  for (const line of greeting(options.greet, record, { address, key: runKey, consoleUrl })) sink.print(line);
  sink.print(`operations on ${urlOf(options.opsHost, ops.port)}`);
  sink.print(`listening on ${address}`);
  sink.release();
  if (limit !== undefined) watchAge(limit, record, conditions);
  const descriptors = new DescriptorWatch((haveRunOut) => {
    pool.pauseAccepting(haveRunOut);
    if (haveRunOut) log.error('out of file descriptors: new connections are refused until some are free');
    else log.info('file descriptors are free again: connections are accepted');
  });

  serviceManager?.whenReady(() => readiness().kind !== 'unready');
  keys.follow(keysEvents({ pool, limits, conditions, metrics, log }), { leases: limits?.leases });
  await stopSignal;
  lifecycle.enter('draining');
  const told = serviceManager?.stopping();
  const followed = source?.stop();
  const prepared = Promise.all([preparer.stop(), followed]);
  pool.drain();
  log.info({ drainSeconds: options.drainSeconds }, 'draining');
  await new Promise((resolve) => setTimeout(resolve, options.drainSeconds * 1000));
  descriptors.close();
  log.info({ connections: view.sum().connections }, 'closing the port');
  const [isFree] = await Promise.all([keys.close(), pool.stop(), prepared, told]);
  await limits?.stop(); // returns what the requests have left
  await ops.close();
  loader.stop(); // last: orders are taken until nobody can give one
  reporter.stop();
  serviceManager?.close();
  log.info('stopped');
  const isFollowing = (await followed) === false;
  const isHeld = !isFree || isFollowing || loader.isStuck;
  if (!isFree) log.warn('the storage of the keys file still does not answer; the process ends by SIGKILL');
  if (isFollowing) log.warn('the storage of the source still does not answer; the process ends by SIGKILL');
  if (loader.isStuck) log.warn('the loader still does not answer; the process ends by SIGKILL');
  await sink.close(LAST_LINES_MS);
  if (isHeld) process.kill(process.pid, 'SIGKILL'); // Node would wait for it forever
}

function keptIds({ kept }: WorkerPool): readonly string[] {
  return kept.list.map(({ generation }) => generation.parts.id);
}
