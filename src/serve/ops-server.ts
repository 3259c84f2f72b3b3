// The operations listener: health, metrics and status for operators, on an address of its own and without a key.
// Runs in the supervisor's thread, so it answers even when every worker is busy. Its content is passed in.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Readiness, renderReady } from '../http/readiness.ts';
import { renderProblemDetails, type ServiceProblemCode, serviceProblem } from '../http/replies/problems.ts';
import { METRICS_CONTENT_TYPE } from './metrics.ts';
import type { OpenPages } from './pages/open-pages.ts';
import { findOpsFile } from './pages/ops-files.ts';

export interface OpsOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly readiness: () => Readiness;
  /** The text for Prometheus. */
  readonly metrics: () => Promise<string>;
  /** The JSON text of /status. */
  readonly status: () => string;
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

/** Cannot listen on the operations address; the message says which, and what to do. */
export class OpsListenError extends Error {
  override readonly name = 'ListenError';
}

// Probes and scrapers are few and close by. These limits keep other clients from holding descriptors.
const HEAD_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 1_000; // with Node's default of 30 s, a 5 s timeout could take 35
const IDLE_MS = 5_000;
const MAX_CONNECTIONS = 256;
const CLOSE_MS = 1_000;

const RETRY_SECONDS = '5'; // as on the service port
const READ = 'GET, HEAD';

interface OpsReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const PATHS: Readonly<Record<string, (options: OpsOptions) => OpsReply | Promise<OpsReply>>> = {
  '/healthz': () => found('{"status":"ok"}'),
  '/readyz': ({ readiness }) => replyToReadyz(readiness()),
  '/metrics': async ({ metrics }) => found(await metrics(), METRICS_CONTENT_TYPE),
  '/status': ({ status }) => found(status()),
};

/** Listens, or rejects with an OpsListenError. */
export async function listenOps(options: OpsOptions): Promise<OpsServer> {
  const server = createServer(
    {
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: IDLE_MS,
    },
    (request, response) => {
      void answer(request, options).then((reply) => send(response, reply));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, options);
  server.on('error', (error) => options.onError?.(error));
  const { port } = server.address() as AddressInfo; // an object once a TCP server listens
  return { port, close: () => close(server) };
}

/** Never rejects: an internal error becomes a 500 and is reported. */
async function answer(request: IncomingMessage, options: OpsOptions): Promise<OpsReply> {
  try {
    const path = (request.url ?? '').split('?', 1)[0];
    const { pages } = options;
    const file = pages === undefined ? undefined : findOpsFile(pages, path, request.headers);
    if (file?.kind === 'absent') return refuse('not_found', file.detail);
    if (file === undefined && !Object.hasOwn(PATHS, path)) {
      return refuse('not_found', `There is no such path here, only ${Object.keys(PATHS).join(', ')}.`);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse('method_not_allowed', `This path answers ${READ} only.`, { Allow: READ });
    }
    return file ?? (await PATHS[path](options));
  } catch (error) {
    options.onError?.(error);
    return refuse('internal_error', 'The request could not be answered.');
  }
}

function replyToReadyz(readiness: Readiness): OpsReply {
  return readiness.kind === 'unready'
    ? refuse(readiness.code, readiness.detail, { 'Retry-After': RETRY_SECONDS })
    : found(renderReady(readiness));
}

function found(body: string, contentType = 'application/json'): OpsReply {
  return { status: 200, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-cache' }, body };
}

function refuse(code: ServiceProblemCode, detail: string, headers: OpsReply['headers'] = {}): OpsReply {
  const requestId = randomUUID();
  const { status, contentType, body } = renderProblemDetails(serviceProblem(code, detail), requestId);
  return {
    status,
    headers: {
      'Content-Type': contentType,
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...headers,
    },
    body,
  };
}

/** For HEAD, Node omits the body and keeps its length. A 304 has none. */
function send(response: ServerResponse, { status, headers, body }: OpsReply): void {
  const bytes = Buffer.from(body); // a copy: not every release can write from shared memory
  const length = status === 304 ? {} : { 'Content-Length': bytes.length };
  response.writeHead(status, { ...headers, ...length }).end(bytes);
}

function listen(server: Server, { host, port }: OpsOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : `the system refused (${error.code})`;
      reject(
        new OpsListenError(
          `cannot listen for operations on ${host}:${port}: ${why}; choose another --ops-port or --ops-host`,
        ),
      );
    };
    server.once('error', onError);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
