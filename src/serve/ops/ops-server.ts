// The operations listener: health, metrics, status and orders for operators, on an address of its own and
// without a key. Runs in the supervisor's thread, so it answers even when every worker is busy. What its
// paths answer is in dialects/ops.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProbe, noSuchPath, OPS_LABEL, opsDialect } from '../../dialects/ops/ops.ts';
import type { AuthResult } from '../../http/callers/auth.ts';
import { RateLimiter } from '../../http/callers/rate-limit.ts';
import type { OperationsView } from '../../http/operations-view.ts';
import { hostProblem } from '../../http/order-origin.ts';
import type { Readiness } from '../../http/readiness.ts';
import type { Problem } from '../../http/replies/problems.ts';
import { NO_OWN_HEADERS } from '../../http/replies/reply-headers.ts';
import { refuse, toReply } from '../../http/replies/responses.ts';
import { type Dialect, endpointsOf } from '../../http/routing/dialect.ts';
import { Service } from '../../http/service.ts';
import { NodeTransport } from '../../http/transport/node.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { ServingSide } from '../../http/transport/transport.ts';
import type { OpenPages } from '../pages/open-pages.ts';
import { listenError } from '../ports.ts';
import { METRICS_CONTENT_TYPE } from './exposition.ts';

export interface OpsOptions {
  /** The address that the operator chose: requests may name it as their host. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly readiness: () => Readiness;
  /** The id of the live snapshot. */
  readonly liveId?: (() => string | undefined) | undefined;
  /** The text for Prometheus. */
  readonly metrics: () => Promise<string>;
  /** The JSON text of /status. */
  readonly status: () => string;
  /** It tells how orders went. */
  readonly operations: OperationsView;
  /** The console's files are served too; without it, they are off. */
  readonly pages?: OpenPages | undefined;
  /** Gets internal errors (the request gets a bare 500) and connections that could not be accepted. */
  readonly onError?: (error: unknown) => void;
}

export interface OpsServer {
  readonly port: number;
  /** Resolves when the port is closed and the last reply was sent or abandoned. */
  close(): Promise<void>;
}

/**
 * Probes and scrapers are few and close by. These limits keep other clients from holding descriptors, of
 * which 128 are kept for everything but the service port (workers/descriptors.ts).
 */
const LIMITS = { arrivalTimeoutMs: 5_000, maxConnections: 64 };
const CLOSE_MS = 1_000;

/** Listens, or rejects with a ListenError. */
export async function listenOps(options: OpsOptions): Promise<OpsServer> {
  const { host, port, onError = () => {} } = options;
  const service = serviceFor(options, onError);
  const transport = new NodeTransport({ service, host, port, limits: LIMITS, onError });
  try {
    await transport.startListening();
  } catch (error) {
    transport.close();
    const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
    throw listenError({ operations: { host, port, code: cause?.code ?? message } }, { cause });
  }
  return {
    port: transport.port,
    close: async () => {
      transport.stopListening();
      transport.drain();
      await Promise.race([transport.idle(), sleep(CLOSE_MS, undefined, { ref: false })]);
      transport.close();
    },
  };
}

/** A service without keys and data, for whoever names this listener. Probes may call it anything. */
function serviceFor(options: OpsOptions, onError: (error: unknown) => void): ServingSide {
  const { host, readiness, liveId, metrics, status, pages, operations } = options;
  const dialect = opsDialect({
    texts: {
      '/metrics': { contentType: METRICS_CONTENT_TYPE, make: metrics },
      '/status': { contentType: 'application/json', make: async () => status() },
    },
    console: pages && { files: pages.operations, absence: pages.service.absence },
  });
  const anyone = callerOf(dialect);
  const service = new Service({
    dialects: [dialect],
    generation: () => undefined,
    keys: () => ({ authenticate: () => anyone, tier: () => undefined }),
    limiter: new RateLimiter(new SharedArrayBuffer(0)), // nobody here has a rate
    readiness,
    liveId,
    isClosing: () => false,
    latestAnchor: 'clock',
    operations,
    nowMs: Date.now,
    makeRequestId: randomUUID,
    onInternalError: onError,
  });
  const refusalFor = (request: RequestView): Problem | undefined => {
    if (isProbe(request.path)) return undefined;
    // The service skips repeated slashes, for clients that join a base and a
    // path; this port has one spelling.
    return hostProblem(request, host) ?? (request.path.startsWith('//') ? noSuchPath(dialect) : undefined);
  };
  const about = { id: '', label: OPS_LABEL, keyId: undefined };
  return {
    handle: (request) => {
      const problem = refusalFor(request);
      if (problem === undefined) return service.handle(request);
      return toReply(refuse(problem), about, randomUUID, NO_OWN_HEADERS, dialect.renderError);
    },
  };
}

/** Whoever reaches the port may ask for all that it has. */
function callerOf(dialect: Dialect): AuthResult {
  const endpoints = new Set(endpointsOf([dialect]));
  const tier = { tier: 'operator', endpoints, batchCost: 'request', rate: null } as const;
  return { kind: 'caller', caller: { id: 'operator', source: 'operations port', slot: 0, ...tier } };
}
