// The operations listener: health, metrics, status and orders for operators, on an address of its own and without a key.
// Runs in the supervisor's thread, so it answers even when every worker is busy. What its paths answer is in ops-paths.ts.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_ORDER_BYTES } from '../../dialects/operations/order.ts';
import { serviceProblem } from '../../http/replies/problems.ts';
import { opsFile } from '../pages/ops-files.ts';
import { hostProblem } from './ops-origin.ts';
import { OPS_PATHS, type OpsContent } from './ops-paths.ts';
import { type OpsReply, type OpsRequest, refused } from './ops-reply.ts';

export interface OpsOptions extends OpsContent {
  /** 0 picks a free port. */
  readonly port: number;
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

/** Of a request's body. */
const MAX_BODY_BYTES = MAX_ORDER_BYTES;
const READ = 'GET, HEAD';

/** Listens, or rejects with an OpsListenError. */
export async function listenOps(options: OpsOptions): Promise<OpsServer> {
  const server = createServer(
    {
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: IDLE_MS,
    },
    async (request, response) => {
      try {
        send(response, await answer(request, options));
      } catch (error) {
        options.onError?.(error);
        response.destroy();
      }
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
    const asked = viewOf(request);
    const { path, method } = asked;
    const found = Object.hasOwn(OPS_PATHS, path) ? OPS_PATHS[path] : opsFile(options.pages, path);
    const foreign = found?.isProbe ? undefined : hostProblem(asked, options.host);
    if (foreign !== undefined) return refused(foreign);
    if (found === undefined) {
      const paths = Object.keys(OPS_PATHS).join(', ');
      return refused(serviceProblem('not_found', `There is no such path here, only ${paths}.`));
    }
    const { methods } = found;
    if (methods !== (method === 'POST' ? 'POST' : READ) || !/^(GET|HEAD|POST)$/.test(method)) {
      const problem = serviceProblem('method_not_allowed', `This path answers ${methods} only.`);
      return refused(problem, [['Allow', methods]]);
    }
    return await found.answer(asked, options);
  } catch (error) {
    options.onError?.(error);
    return refused(serviceProblem('internal_error', 'The request could not be answered.'));
  }
}

function viewOf(request: IncomingMessage): OpsRequest {
  const { method = '', url = '' } = request; // a server's requests have both
  const [path] = url.split('?', 1);
  return {
    method,
    path,
    query: url.slice(path.length + 1),
    header: (name) => [request.headers[name] ?? ''].flat().join(', '),
    body: () => readBody(request),
  };
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined; // ending the iteration closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
