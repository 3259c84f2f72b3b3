// The supervisor: the main thread of a serving process. It owns the ports' choice, the keys file, the folder of
// snapshots (through the loader thread), the worker threads, the operations listener and the signals; it answers
// no request of a client.

import { performance } from 'node:perf_hooks';
import { hashKey, type KeysFile, makeKey, readKeysFile, SHIPPED_TIERS } from '../access/keys-file.ts';
import { watchKeysFile } from '../access/watch-keys.ts';
import { loadNative } from '../http/native.ts';
import { RateLimiterTable } from '../http/rate-limit.ts';
import type { Generation } from '../index/generation.ts';
import { openGeneration } from '../loader/load.ts';
import { allocateCounters, CountersView, clearGauges } from './counters.ts';
import { DescriptorWatch, descriptorLimit, fitConnections } from './descriptors.ts';
import { Lifecycle } from './lifecycle.ts';
import { Loader } from './loader.ts';
import { type Log, openLog } from './log.ts';
import { LogSink } from './log-sink.ts';
import type { FromLoader, PostedKeys } from './messages.ts';
import type { Metrics } from './metrics.ts';
import { listenOps } from './ops-server.ts';
import { choosePort, ListenError, urlOf } from './ports.ts';
import { NO_WORKER, readinessOf } from './readiness.ts';
import { renderStatus } from './status.ts';
import { SupervisorRecord } from './supervisor-record.ts';
import { collectGarbageAtLast } from './thread.ts';
import { WorkerPool } from './worker-pool.ts';

export interface RunOptions {
  readonly snapshots: string;
  /** Undefined: a key is made for this run. */
  readonly keys: string | undefined;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly opsHost: string;
  /** 0 takes a free port. */
  readonly opsPort: number;
  readonly workers: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  readonly drainSeconds: number;
  /** Milliseconds. */
  readonly maxSnapshotAge: number | undefined;
  readonly maxShrink: number;
  readonly maxConnections: number;
  readonly accessLog: number;
  readonly corsOrigin: readonly string[];
  /** Lines for the person at the terminal, printed before the one that says where the server listens. */
  readonly greet?: (context: {
    readonly address: string;
    readonly key: string | undefined;
    readonly generation: Generation | undefined;
  }) => readonly string[];
}

/** After this long a worker has heard of new keys, or was replaced for not answering. */
const SURELY_HEARD_MS = 20_000;
/** For the last lines of the log: whoever reads them may have stopped. */
const LAST_LINES_MS = 500;
/** Set in tests that kill and hang workers by a signal. */
const TEST_SIGNALS = process.env.VULNDEX_TEST_SIGNALS === '1';

/** Serves until a signal ends it. Throws KeysFileError, NativeAddonError, or ListenError. */
export async function run(options: RunOptions): Promise<void> {
  outliveReaders();
  await loadNative(); // here first: the workers see its settings only when they stand in this thread's environment
  const port = await choosePort(options.host, options.port);
  const runKey = options.keys === undefined ? makeKey() : undefined;
  const keysFile = runKey !== undefined ? fileForRunKey(runKey) : await readKeysFile(options.keys as string); // one of the two is there
  const sink = new LogSink({
    onRecovered: (dropped) =>
      log.warn({ dropped }, 'log lines were dropped: they came faster than they were read'),
  });
  const log = openLog(sink.write);
  process.on('SIGUSR1', () => log.warn('SIGUSR1 is ignored: it would open the debugger')); // Node's own way with it
  let listen: (listeners: Listeners) => void = () => {};
  const listeners = new Promise<Listeners>((resolve) => {
    listen = resolve;
  });
  let firstLook: () => void = () => {};
  const looked = new Promise<void>((resolve) => {
    firstLook = resolve;
  });
  // Before all that can wait: no other part of a start takes as long. What it posts waits for who is to hear it.
  const loader = new Loader(
    { folder: options.snapshots, maxShrinkPercent: options.maxShrink },
    async (message) => {
      hear(message, await listeners);
      if (message.kind === 'scanned') firstLook();
    },
    (error) => log.error({ err: error }, 'the loader thread died and is started again'),
  );
  const { Metrics } = await import('./metrics.ts'); // its library takes 20 ms
  let keysInForce = keysFile;
  let keysChangedMs = performance.now();
  const limiter = new RateLimiterTable();
  const postedKeys = (file: KeysFile): PostedKeys => ({ file, slots: limiter.slotsOf(file) });
  const lifecycle = new Lifecycle();
  const counters = allocateCounters(options.workers);
  const view = new CountersView(counters);
  const record = new SupervisorRecord();
  const maxConnections = fitMaxConnections(options, log);
  const metrics = new Metrics(view, () => record.state(pool.states(), lifecycle.state === 'draining'));
  metrics.exposeLog(() => sink.dropped);
  metrics.exposeMaxConnections(maxConnections);
  const pool = new WorkerPool(
    {
      host: options.host,
      port,
      latestAnchor: options.latestAnchor,
      maxSnapshotAgeMs: options.maxSnapshotAge,
      maxConnections,
      accessLogRate: options.accessLog,
      corsOrigins: options.corsOrigin,
      limiter: limiter.memory,
      counters,
      lifecycle: lifecycle.buffer,
    },
    postedKeys(keysFile),
    (index) => view.beat(index),
    {
      onRestart: (worker, reason, message, backOffMs) => {
        clearGauges(counters, worker);
        metrics.workerRestarted(reason);
        log.error({ worker, reason, message, backOffMs }, 'worker is replaced');
      },
      onStuck: (worker) => {
        log.error({ worker }, 'worker can be neither interrupted nor ended; the process ends for a new one');
        process.kill(process.pid, 'SIGKILL'); // an orderly end would wait for the worker, or abort in its loop
      },
      onLog: ({ lines, dropped }) => {
        sink.write(lines);
        sink.addDropped(dropped);
      },
    },
  );

  listen({ pool, record, metrics, log });
  // From here on: unheard, the signal would end the process.
  process.on('SIGHUP', () => {
    log.info('looking for snapshots again');
    loader.scan(true);
  });
  const ops = await listenOps({
    host: options.opsHost,
    port: options.opsPort,
    readiness: () => {
      if (lifecycle.state === 'serving' && !pool.isServing) return NO_WORKER;
      return readinessOf(lifecycle.state, record.builtAtMs, options.maxSnapshotAge, Date.now());
    },
    metrics: () => metrics.render(),
    status: () => renderStatus(record.state(pool.states(), lifecycle.state === 'draining'), view, Date.now()),
    onError: (error) => log.error({ err: error }, 'the operations listener met an error'),
  }).catch((error: Error) => {
    loader.stop();
    throw new ListenError(error.message, { cause: error });
  });
  try {
    await Promise.all([pool.start(options.workers), looked]);
  } catch (error) {
    loader.stop();
    await Promise.all([pool.stop(), ops.close()]);
    throw new ListenError(`cannot listen on ${options.host}:${port}: ${(error as Error).message}`, {
      cause: error,
    });
  }

  // Before anybody can read that it listens: unheard, a signal would end the process without a drain.
  const stopSignal = signalled();
  if (TEST_SIGNALS) listenToTestSignals(pool);
  const address = urlOf(options.host, port);
  if (runKey !== undefined) sink.print(`no keys file; key for this run: ${runKey}`);
  for (const line of greeting(options, record, address, runKey)) sink.print(line);
  sink.print(`operations on ${urlOf(options.opsHost, ops.port)}`);
  sink.print(`listening on ${address}`);
  sink.release();
  const descriptors = new DescriptorWatch((haveRunOut) => {
    pool.pauseAccepting(haveRunOut);
    if (haveRunOut)
      log.error('no file descriptors are left: new connections are refused until there are some');
    else log.info('file descriptors are free again: connections are accepted');
  });

  const watcher =
    options.keys === undefined
      ? undefined
      : watchKeysFile(options.keys, {
          inForce: keysFile,
          onChange: (file) => {
            // Rows of keys that the change before this one dropped are free once no thread can still count in them.
            if (performance.now() - keysChangedMs > SURELY_HEARD_MS)
              limiter.retain(keysInForce.keys.map(({ id }) => id));
            pool.setKeys(postedKeys(file));
            keysInForce = file;
            keysChangedMs = performance.now();
            log.info({ keys: file.keys.length }, 'keys file changed');
          },
          onRefused: (error) =>
            log.error({ err: error }, 'keys file refused; the keys before it stay in force'),
        });
  await stopSignal;
  lifecycle.enter('draining');
  pool.drain();
  log.info({ drainSeconds: options.drainSeconds }, 'draining');
  await new Promise((resolve) => setTimeout(resolve, options.drainSeconds * 1000));
  loader.stop();
  watcher?.close();
  descriptors.close();
  log.info({ connections: view.sum().connections }, 'closing the port');
  await pool.stop();
  await ops.close();
  log.info('stopped');
  await sink.close(LAST_LINES_MS);
}

/** Whoever reads the output may go away: that is no reason to end. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** The cap on connections of each worker, lowered to what the limit on descriptors has room for. */
function fitMaxConnections({ maxConnections, workers }: RunOptions, log: Log): number {
  const limit = descriptorLimit();
  const fitted = fitConnections(maxConnections, workers, limit);
  if (fitted < maxConnections) {
    log.warn(
      { maxConnections, fitted, workers, descriptors: limit },
      'each worker keeps fewer connections than --max-connections: the limit on open files (ulimit -n) allows no more',
    );
  }
  return fitted;
}

/** A function of its own, for `run` never ends and its variables would keep the first generation in memory. */
function greeting(
  { greet }: RunOptions,
  { generation: posted }: SupervisorRecord,
  address: string,
  key: string | undefined,
): readonly string[] {
  if (greet === undefined) return [];
  const generation = posted === undefined ? undefined : openGeneration(posted.parts, posted.details);
  return greet({ address, key, generation });
}

interface Listeners {
  readonly pool: WorkerPool;
  readonly record: SupervisorRecord;
  readonly metrics: Metrics;
  readonly log: Log;
}

function hear(message: FromLoader, { pool, record, metrics, log }: Listeners): void {
  switch (message.kind) {
    case 'loaded': {
      const { parts, file, fileBytes, tookMs } = message.generation;
      pool.publish(message.generation);
      record.loaded(message.generation);
      metrics.loadSucceeded();
      collectGarbageAtLast(); // the generation before it
      log.info(
        {
          file,
          id: parts.id,
          builtAt: new Date(parts.builtAtMs).toISOString(),
          advisories: parts.columns.advisoryId.length,
          fileBytes,
          tookMs: Math.round(tookMs),
        },
        'snapshot loaded',
      );
      break;
    }
    case 'refused':
      record.refused(message.file, message.code, message.message);
      metrics.loadRefused(message.code);
      log.error({ file: message.file, code: message.code, reason: message.message }, 'snapshot refused');
      break;
    case 'older':
      log.warn(
        { file: message.file, id: message.id },
        'snapshot is not newer than the one in force; not loaded',
      );
      break;
    case 'folder':
      if (message.problem === undefined) log.info('snapshot folder is readable again');
      else
        log.error(
          { reason: message.problem },
          'snapshot folder cannot be read; what is loaded stays in force',
        );
      break;
    case 'scanned':
      break;
  }
}

function fileForRunKey(key: string): KeysFile {
  return {
    tiers: { ...SHIPPED_TIERS },
    keys: [{ id: 'this-run', name: 'this run', sha256: hashKey(key), tier: 'partner' }],
  };
}

/** SIGUSR2 makes one worker throw, SIGPROF makes one loop, SIGVTALRM in its next request; each time the next one. */
function listenToTestSignals(pool: WorkerPool): void {
  let next = 0;
  process.on('SIGUSR2', () => pool.fail(next++, 'throw'));
  process.on('SIGPROF', () => pool.fail(next++, 'hang'));
  process.on('SIGVTALRM', () => pool.fail(next++, 'hang-in-request'));
}

/** Resolves with the first signal to stop; another one ends the process at once. */
function signalled(): Promise<void> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}
