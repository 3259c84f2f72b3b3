// The addresses of a serving process: choosing the port, and writing an address as a URL.

import { createServer } from 'node:net';

/** Cannot listen on the address; the message says which, and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * The port to listen on, after a test with an ordinary socket: the native listener would share a port that is
 * in use instead of refusing it, and does not share one that it picked itself.
 */
export async function choosePort(host: string, port: number): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : `the system refused (${error.code})`;
      reject(new ListenError(`cannot listen on ${host}:${port}: ${why}; choose another --port or --host`));
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(chosen));
    });
  });
}
