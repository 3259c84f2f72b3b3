// The supervisor: the main thread of a serving process. It owns the ports' choice, the keys file, the folder of
// snapshots (through the loader thread), the worker threads, the operations listener and the signals; it answers
// no request of a client.

import { createServer } from 'node:net';
import { loadNative } from '../http/native.ts';
import type { Generation } from '../index/generation.ts';
import { openGeneration } from '../loader/load.ts';
import { allocateCounters, CountersView, clearGauges } from './counters.ts';
import { KeysInForce } from './keys-in-force.ts';
import { Lifecycle } from './lifecycle.ts';
import { Loader } from './loader.ts';
import { type Log, openLog } from './log.ts';
import type { FromLoader } from './messages.ts';
import type { Metrics } from './metrics.ts';
import { listenOps } from './ops-server.ts';
import { readinessOf } from './readiness.ts';
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

/** The address cannot be had; the message says which and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

const KEYS_STALLED =
  'the storage of the keys file does not answer; no change of the keys is seen until it does';
/** Set in tests that kill and hang workers by a signal. */
const TEST_SIGNALS = process.env.VULNDEX_TEST_SIGNALS === '1';

/** Serves until a signal ends it. Throws KeysFileError, NativeAddonError, or ListenError. */
export async function run(options: RunOptions): Promise<void> {
  await loadNative(); // here first: the workers see its settings only when they stand in this thread's environment
  const port = await choosePort(options.host, options.port);
  const keys = await KeysInForce.open(options.keys);
  const { runKey } = keys;
  const log = openLog();
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
  const lifecycle = new Lifecycle();
  const counters = allocateCounters(options.workers);
  const view = new CountersView(counters);
  const record = new SupervisorRecord();
  const metrics = new Metrics(view, () => record.state(pool.states(), lifecycle.state === 'draining'));
  const pool = new WorkerPool(
    {
      host: options.host,
      port,
      latestAnchor: options.latestAnchor,
      maxSnapshotAgeMs: options.maxSnapshotAge,
      maxConnections: options.maxConnections,
      accessLogRate: options.accessLog,
      corsOrigins: options.corsOrigin,
      limiter: keys.limiter,
      counters,
      lifecycle: lifecycle.buffer,
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
        log.error({ worker }, 'worker can be neither interrupted nor ended; the process ends for a new one');
        process.kill(process.pid, 'SIGKILL'); // an orderly end would wait for the worker, or abort in its loop
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
    readiness: () => readinessOf(lifecycle.state, record.builtAtMs, options.maxSnapshotAge, Date.now()),
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

  const address = urlOf(options.host, port);
  if (runKey !== undefined) console.log(`no keys file; key for this run: ${runKey}`);
  for (const line of greeting(options, record, address, runKey)) console.log(line);
  console.log(`operations on ${urlOf(options.opsHost, ops.port)}`);
  console.log(`listening on ${address}`);
  log.release();

  keys.follow({
    onChanged: (posted, keyCount) => {
      pool.setKeys(posted);
      log.info({ keys: keyCount }, 'keys file changed');
    },
    onRefused: (error) => log.error({ err: error }, 'keys file refused; the keys before it stay in force'),
    onStalled: (stalledMs) => {
      metrics.keysFileStalled(true);
      log.error({ stalledMs: Math.round(stalledMs) }, KEYS_STALLED);
    },
    onResumed: () => {
      metrics.keysFileStalled(false);
      log.info('the storage of the keys file answers again');
    },
  });
  if (TEST_SIGNALS) listenToTestSignals(pool);
  await signalled();
  lifecycle.enter('draining');
  log.info({ drainSeconds: options.drainSeconds }, 'draining');
  await new Promise((resolve) => setTimeout(resolve, options.drainSeconds * 1000));
  loader.stop();
  const [isFree] = await Promise.all([keys.close(), pool.stop()]);
  await ops.close();
  log.info('stopped');
  if (isFree) return;
  log.warn('the storage of the keys file still does not answer; the process ends by SIGKILL');
  process.kill(process.pid, 'SIGKILL'); // Node would wait for it for ever
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

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * The port to listen on, tried the ordinary way first: the native listener shares a taken port instead of refusing
 * it, and shares none that it was left to choose.
 */
async function choosePort(host: string, port: number): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is taken' : `it is not possible (${error.code})`;
      reject(new ListenError(`cannot listen on ${host}:${port}: ${why}; choose another --port or --host`));
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(chosen));
    });
  });
}

/** SIGUSR2 makes one worker throw, SIGPROF makes one loop without end, each time the next. */
function listenToTestSignals(pool: WorkerPool): void {
  let next = 0;
  process.on('SIGUSR2', () => pool.fail(next++, 'throw'));
  process.on('SIGPROF', () => pool.fail(next++, 'hang'));
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
