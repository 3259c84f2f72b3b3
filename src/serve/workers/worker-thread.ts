// A worker thread: one transport on the shared port, one generation over shared memory, a ring of keys.
// Started by worker-pool.ts. Node aborts the whole process when a thread ends with an open socket, so every
// way out of here closes the app first.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { DIALECTS } from '../../dialects/dialects.ts';
import { selectDialects } from '../../dialects/mounts.ts';
import { AccessSampler, accessRecord } from '../../http/access-log.ts';
import { AskingCaller } from '../../http/callers/asking.ts';
import { KeyRing } from '../../http/callers/auth.ts';
import { LeasedLimiter } from '../../http/callers/leased-limiter.ts';
import { RateLimiter } from '../../http/callers/rate-limit.ts';
import { corsPolicy } from '../../http/replies/cors.ts';
import type { PreparedSet } from '../../http/replies/prepared-files.ts';
import { requestIds } from '../../http/request-id.ts';
import { Service } from '../../http/service.ts';
import { Traced } from '../../http/trace-context.ts';
import type { SentReply } from '../../http/transport/transport.ts';
import { createTransport } from '../../http/transport/transports.ts';
import type { Generation } from '../../index/generation.ts';
import { openGeneration } from '../../loader/snapshot/load.ts';
import { anonymousCallers, ownAddress } from '../clients.ts';
import { WorkerCounters } from '../counters.ts';
import { Lifecycle } from '../lifecycle.ts';
import { openLog } from '../log/log.ts';
import { LogRelay } from '../log/log-relay.ts';
import type { FromWorker, PostedGeneration, ToWorker, WorkerData } from '../messages.ts';
import { ownThreadId } from '../operations/figures/thread-cpu.ts';
import { LookupSampler } from '../operations/requests/lookup-ring.ts';
import { SlowRequests } from '../operations/requests/slow-requests.ts';
import { readinessOf } from '../readiness.ts';
import { KeptGenerations } from '../snapshots/kept-generations.ts';
import { collectGarbageInTurn } from '../thread.ts';
import { AskedOperations } from './asked-operations.ts';
import { closeWhenInterrupted } from './interrupt.ts';

const HEARTBEAT_MS = 500;
const LAG_RESOLUTION_MS = 10;
/**
 * After the port is closed: a transport itself closes a connection on which nothing arrives for 10 to 12 s.
 */
const PATIENCE_MS = 13_000;

const data = workerData as WorkerData;
const relay = new LogRelay((batch) => post({ kind: 'log', batch }));
const log = openLog(relay.write);
const counters = new WorkerCounters(data.counters, data.index);
const lifecycle = new Lifecycle(data.lifecycle);
const limiter =
  data.leases === undefined ? new RateLimiter(data.limiter) : new LeasedLimiter(data.limiter, data.leases);
const selection = selectDialects(data.clients, DIALECTS, data.pages);
const sampler = new AccessSampler(data.accessLogRate);
const kept = new KeptGenerations<Generation>(data.keepGenerations);
let prepared: PreparedSet | undefined;
const operations = new AskedOperations((number, question) => post({ kind: 'asked', number, question }));
let ring = new KeyRing(data.keys);
// The data a thread was started with stays in memory as long as it lives; these
// keys will be replaced before that.
(data as { keys: unknown }).keys = undefined;
let hasBegun = false;
let isPaused = false;
let isClosing = false;

const slow = new SlowRequests();
const asking = new AskingCaller();

const service = new Service({
  dialects: selection.dialects,
  off: selection.off,
  generation: () => kept.live,
  kept: () => kept.list,
  prepared: () => prepared,
  keys: () => ring,
  limiter,
  anonymous: anonymousCallers(selection, data.clients),
  ownAddress: ownAddress(data.clients),
  readiness: (nowMs) => {
    const awaitsFiles = data.isReadyWithFiles && prepared === undefined;
    const builtAtMs = kept.live?.parts.builtAtMs;
    return readinessOf({ state: lifecycle.state, builtAtMs, awaitsFiles }, data.ageLimit, nowMs);
  },
  maxDataAgeMs: data.ageLimit?.maxMs,
  isClosing: () => isClosing,
  asking,
  cors: corsPolicy(data.corsOrigins),
  latestAnchor: data.latestAnchor,
  operations,
  nowMs: Date.now,
  makeRequestId: requestIds(),
  onInternalError: (error, requestId) => log.error({ err: error, requestId }, 'request failed'),
});
const isLogging = data.accessLogRate > 0;
const server = await createTransport(data.transport, {
  service: isLogging ? new Traced(service) : service,
  host: data.host,
  port: data.port,
  sharesPort: data.sharesPort,
  observer: counters,
  ...(isLogging ? { onReply: logAccess } : {}),
  slow,
  onRelief: () => {
    service.shrink();
    collectGarbageInTurn(data.index);
  },
  limits: { maxConnections: data.maxConnections, maxTotalPendingBytes: data.maxHeldBytes },
});
let isInterrupted = false;
closeWhenInterrupted(() => {
  isInterrupted = true;
  server.close();
});
counters.runsAs(ownThreadId());

const delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
delay.enable();
setInterval(() => {
  // The time between two samples is measured, so an idle loop shows the resolution.
  counters.lag(lagSeconds(delay.mean), lagSeconds(delay.max));
  delay.reset();
  counters.memory(server.pendingBytes, getHeapStatistics().used_heap_size);
  const requests = slow.take();
  if (requests.length > 0) post({ kind: 'slow', requests });
  counters.beat();
}, HEARTBEAT_MS);

let hearOfGeneration: () => void = () => {};
const firstGeneration = new Promise<void>((resolve) => {
  hearOfGeneration = resolve;
});
parentPort?.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'generation': {
      const generation = open(message.generation);
      kept.publish(generation);
      service.adopt(generation);
      hearOfGeneration();
      collectGarbageInTurn(data.index);
      break;
    }
    case 'older-generation':
      kept.addOlder(open(message.generation));
      break;
    case 'retire':
      kept.drop(message.id);
      collectGarbageInTurn(data.index);
      break;
    case 'changes':
      kept.learn(message.changes);
      break;
    case 'files': {
      const { snapshot, files } = message.files;
      prepared = { snapshot, files: new Map(files) };
      collectGarbageInTurn(data.index); // the previous files
      break;
    }
    case 'keys':
      ring = new KeyRing(message.keys);
      // V8 does not count shared memory, so an idle worker would keep every old table.
      collectGarbageInTurn(data.index);
      break;
    case 'drain':
      server.drain();
      break;
    case 'accept':
      isPaused = message.isPaused;
      if (isPaused) server.stopListening();
      // A failure ends this thread, and another replaces it.
      else if (hasBegun && !isClosing) void server.startListening();
      break;
    case 'answered':
      operations.answered(message.number, message.answer);
      break;
    case 'log-taken':
      relay.taken();
      break;
    case 'stop':
      void stop();
      break;
  }
});
if (data.awaitsGeneration) await firstGeneration;
if (!isPaused && !isClosing) await server.startListening();
hasBegun = true;
process.on('uncaughtException', (error) => {
  // Code that was interrupted in an immediate, but not in the first one of its turn, is still the head of
  // Node's queue: Node stumbles over it for ever, and its loop comes no further than here.
  if (isInterrupted) {
    relay.flush();
    process.exit(1);
  }
  post({ kind: 'failed', message: error.stack ?? String(error) });
  end(1);
});
post({ kind: 'listening' });

function lagSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - LAG_RESOLUTION_MS / 1e3);
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function logAccess(sent: SentReply, bodyBytes: number, isWhole: boolean): void {
  if (sampler.shouldLog(sent.about.label)) log.info(accessRecord(sent, bodyBytes, isWhole), 'request');
}

function open({ parts, packed }: PostedGeneration): Generation {
  const tap = new LookupSampler(data.lookups, data.index, parts.id, asking);
  return openGeneration(parts, packed, { tap });
}

async function stop(): Promise<void> {
  isClosing = true;
  server.stopListening();
  server.drain();
  await server.idle(PATIENCE_MS);
  end(0);
}

/** Ends the thread once the closed sockets have left its loop. */
function end(status: number): void {
  server.close();
  relay.flush();
  setImmediate(() => process.exit(status));
}
