// The addresses of a serving process: which port is free, and how an address is written.

import { createServer } from 'node:net';

/** The address cannot be had; the message says which and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * The port to listen on, tried the ordinary way first: the native listener shares a taken port instead of refusing
 * it, and shares none that it was left to choose.
 */
export async function choosePort(host: string, port: number): Promise<number> {
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
