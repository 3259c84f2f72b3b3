// The addresses of a serving process: choosing the ports, and writing an address as a URL.

import { createServer } from 'node:net';

/** Cannot listen on an address; the message says on which, and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

interface Addresses {
  readonly host: string;
  readonly port: number;
  readonly opsHost: string;
  readonly opsPort: number;
}

/** An address that cannot be listened on, and why. */
interface Refusal {
  readonly host: string;
  readonly port: number;
  /** The system's name of the error. */
  readonly code: string | undefined;
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Of the service port, the operations port, or both at once: whoever starts a second server meets both. */
export function listenError(
  { service, operations }: { readonly service?: Refusal; readonly operations?: Refusal },
  options?: ErrorOptions,
): ListenError {
  const refused = [
    ...(service === undefined ? [] : [`on ${described(service)}`]),
    ...(operations === undefined ? [] : [`for operations on ${described(operations)}`]),
  ];
  const remedies = [
    ...(service === undefined ? [] : ['another --port or --host']),
    ...(operations === undefined ? [] : ['another --ops-port or --ops-host']),
  ];
  return new ListenError(
    `cannot listen ${refused.join('; nor ')}; choose ${remedies.join(', and ')}`,
    options,
  );
}

/**
 * The service port, after a test with an ordinary socket: the native listener would share a port that is in
 * use instead of refusing it, and does not share one that it picked itself. The operations port is tested as
 * well, so that one message names all that is in use.
 */
export async function choosePort({ host, port, opsHost, opsPort }: Addresses): Promise<number> {
  const [service, operations] = await Promise.all([probe(host, port), probe(opsHost, opsPort)]);
  if (typeof service === 'number' && typeof operations === 'number') return service;
  throw listenError({
    ...(typeof service === 'number' ? {} : { service }),
    ...(typeof operations === 'number' ? {} : { operations }),
  });
}

/** The port that could be listened on, which is another for 0. */
function probe(host: string, port: number): Promise<number | Refusal> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve({ host, port, code }));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(chosen));
    });
  });
}

function described({ host, port, code }: Refusal): string {
  const why = code === 'EADDRINUSE' ? 'the port is in use' : `the system refused (${code})`;
  return `${host}:${port}: ${why}`;
}
