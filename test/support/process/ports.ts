// Free ports. Another process may take one before it is used; the server then says so and ends.

import { createServer } from 'node:net';

/** The system may offer a port again once it was closed, even to the same process. */
const given = new Set<number>();

/** A different one with each call. */
export async function freePort(): Promise<number> {
  const port = await offeredPort();
  if (given.has(port)) return freePort();
  given.add(port);
  return port;
}

function offeredPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
