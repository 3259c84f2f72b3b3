// Requests /healthz from both listeners four times a second, each time over a new connection, and records
// failures.

import { HttpSocket } from '../../support/process/http-socket.ts';
import type { ServerProcess } from '../../support/process/server-process.ts';
import { Latencies } from './latencies.ts';

const EVERY_MS = 250;
const PATIENCE_MS = 5_000;

export class HealthWatch {
  readonly failures: string[] = [];
  readonly #latencies = new Latencies();
  readonly #timer: NodeJS.Timeout;

  constructor(server: Pick<ServerProcess, 'port' | 'opsPort'>) {
    const askBoth = (): void => {
      for (const port of [server.port, server.opsPort]) void this.#ask(port);
    };
    askBoth();
    this.#timer = setInterval(askBoth, EVERY_MS);
  }

  stop(): Latencies {
    clearInterval(this.#timer);
    return this.#latencies;
  }

  async #ask(port: number): Promise<void> {
    const socket = new HttpSocket(port);
    const sweeper = setInterval(() => socket.sweep(performance.now()), EVERY_MS);
    const startMs = performance.now();
    try {
      const { status } = await socket.request('GET /healthz HTTP/1.1\r\nHost: soak\r\n\r\n', PATIENCE_MS);
      this.#latencies.add(performance.now() - startMs);
      if (status !== 200) this.failures.push(`port ${port}: status ${status}`);
    } catch (error) {
      this.failures.push(`port ${port}: ${(error as Error).message}`); // a socket rejects only with errors
    } finally {
      clearInterval(sweeper);
      socket.close();
    }
  }
}
