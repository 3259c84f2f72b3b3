// Free ports, from below those that the system gives to outgoing connections (32,768 and up on Linux): a port
// from there may be some client's by the time a server starts.

import { createServer } from 'node:net';

const FIRST_PORT = 20_000;
const PORTS = 12_000;
/**
 * Apart by more than one test process asks for, so that processes started one after the other do not meet.
 */
const PORTS_OF_A_PROCESS = 509;

let next = (process.pid * PORTS_OF_A_PROCESS) % PORTS;

/** A different one with each call. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS; tried += 1) {
    const port = FIRST_PORT + next;
    next = (next + 1) % PORTS;
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: '127.0.0.1', port }, () => probe.close(() => resolve(true)));
  });
}
