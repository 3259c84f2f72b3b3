// A real HAProxy in front of two replicas, configured by the example in deploy/.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { freePort } from './ports.ts';
import type { ProcessOwner } from './server-process.ts';

/** Whether it is installed. */
export const hasHaproxy = (): boolean => spawnSync('haproxy', ['-v']).status === 0;

const EXAMPLE = 'deploy/haproxy.cfg';

/** Its checks notice within this time that a replica is back: two intervals, plus a check in flight. */
export const NOTICE_MS = 1_500;

const KEPT_LINES = 100;

export class Haproxy {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #exit: Promise<void>;
  #messages = '';
  #requestLines: string[] = [];

  /**
   * `ports` are the replicas'. Resolves when it forwards requests, or answers 503 if no replica is expected.
   */
  static async start(
    owner: ProcessOwner,
    ports: readonly [number, number],
    { isForwarding = true }: { readonly isForwarding?: boolean } = {},
  ): Promise<Haproxy> {
    const port = await freePort();
    const haproxy = new Haproxy(port, ports);
    owner.after(() => haproxy.stop());
    await haproxy.#answering(isForwarding ? 200 : 503);
    return haproxy;
  }

  private constructor(port: number, [a, b]: readonly [number, number]) {
    this.port = port;
    // -db: in the foreground and without a master, so that there is only one process.
    this.#child = spawn('haproxy', ['-db', '-f', EXAMPLE], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        VULNDEX_BIND: `127.0.0.1:${port}`,
        VULNDEX_REPLICA_A: `127.0.0.1:${a}`,
        VULNDEX_REPLICA_B: `127.0.0.1:${b}`,
      },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    }
    this.#exit = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  /** The last log lines about requests or connections. */
  get requestLines(): readonly string[] {
    return this.#requestLines;
  }

  /** Its messages about itself and about replicas going up or down. */
  get messages(): string {
    return this.#messages;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  #receive(text: string): void {
    for (const line of text.split('\n')) {
      if (/is (?:UP|DOWN)|\[(?:ALERT|WARNING)\]/.test(line)) this.#messages += `${line}\n`;
      else if (line !== '') this.#requestLines.push(line);
    }
    this.#requestLines = this.#requestLines.slice(-KEPT_LINES);
  }

  async #answering(expected: number): Promise<void> {
    for (let look = 0; look < 100; look++) {
      try {
        const { status } = await fetch(`http://127.0.0.1:${this.port}/readyz`);
        if (status === expected) return;
      } catch {
        // not listening yet
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`haproxy does not answer ${expected}:\n${this.#messages}`);
  }
}
