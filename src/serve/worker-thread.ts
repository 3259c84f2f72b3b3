// A worker thread: one uWebSockets app on the shared port, one generation over shared memory, a ring of keys.
// Started by worker-pool.ts. Node aborts the whole process when a thread ends with an open socket, so every way
// out of here closes the app first.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { AccessSampler, accessRecord } from '../http/access-log.ts';
import { KeyRing } from '../http/auth.ts';
import { corsPolicy } from '../http/cors.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { requestIds } from '../http/request-id.ts';
import type { Reply } from '../http/responses.ts';
import { HttpServer } from '../http/server.ts';
import { Service } from '../http/service.ts';
import type { Generation } from '../index/generation.ts';
import { openGeneration } from '../loader/load.ts';
import { WorkerCounters } from './counters.ts';
import { Lifecycle } from './lifecycle.ts';
import { openLog } from './log.ts';
import type { FromWorker, PostedGeneration, ToWorker, WorkerData } from './messages.ts';
import { readinessOf } from './readiness.ts';
import { collectGarbageInTurn } from './thread.ts';

const HEARTBEAT_MS = 500;
const LAG_RESOLUTION_MS = 10;

const data = workerData as WorkerData;
const log = openLog();
log.release();
const counters = new WorkerCounters(data.counters, data.index);
const lifecycle = new Lifecycle(data.lifecycle);
const limiter = new RateLimiter(data.limiter);
const sampler = new AccessSampler(data.accessLogRate);
let generation: Generation | undefined;
let ring = new KeyRing(data.keys);
// What a thread was started with stays as long as it lives, and those keys will not be in force as long as that.
(data as { keys: unknown }).keys = undefined;
let isClosing = false;

const service = new Service({
  generation: () => generation,
  keys: () => ring,
  limiter,
  readiness: (nowMs) => readinessOf(lifecycle.state, generation?.parts.builtAtMs, data.ageLimit, nowMs),
  maxDataAgeMs: data.ageLimit?.maxMs,
  isClosing: () => isClosing,
  cors: corsPolicy(data.corsOrigins),
  latestAnchor: data.latestAnchor,
  nowMs: Date.now,
  makeRequestId: requestIds(),
  onInternalError: (error, requestId) => log.error({ err: error, requestId }, 'request failed'),
});
const server = await HttpServer.listen({
  service,
  host: data.host,
  port: data.port,
  observer: counters,
  ...(data.accessLogRate > 0 ? { onReply: logAccess } : {}),
  onRelief: () => {
    service.shrink();
    collectGarbageInTurn(data.index);
  },
  limits: { maxConnections: data.maxConnections },
});

const delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
delay.enable();
setInterval(() => {
  // What is measured is the time between two samples, so an idle loop shows the resolution.
  counters.lag(lagSeconds(delay.mean), lagSeconds(delay.max));
  delay.reset();
  counters.beat();
}, HEARTBEAT_MS);

process.on('uncaughtException', (error) => {
  post({ kind: 'failed', message: error.stack ?? String(error) });
  end(1);
});

parentPort?.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'generation':
      generation = open(message.generation);
      collectGarbageInTurn(data.index);
      break;
    case 'keys':
      ring = new KeyRing(message.keys);
      break;
    case 'stop':
      void stop();
      break;
    case 'fail':
      fail(message.how);
      break;
  }
});
post({ kind: 'listening' });

function lagSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - LAG_RESOLUTION_MS / 1e3);
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function logAccess(method: string, { about, status }: Reply, tookMs: number, bodyBytes: number): void {
  if (!sampler.shouldLog(about.label)) return;
  const { id: requestId, label, keyId } = about;
  log.info(accessRecord({ method, label, status, tookMs, bodyBytes, requestId, keyId }), 'request');
}

function open({ parts, details }: PostedGeneration): Generation {
  return openGeneration(parts, details);
}

async function stop(): Promise<void> {
  server.stopListening();
  isClosing = true;
  await server.idle();
  end(0);
}

/** Ends the thread once the closed sockets have left its loop. */
function end(status: number): void {
  server.close();
  setImmediate(() => process.exit(status));
}

function fail(how: 'throw' | 'hang'): void {
  if (how === 'throw') throw new Error('told to fail');
  for (;;);
}
