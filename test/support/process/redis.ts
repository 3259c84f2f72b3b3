// A real Valkey or Redis, whichever is installed, on a port of its own and with nothing saved.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { Redis } from 'iovalkey';
import { until } from '../until.ts';
import { freePort } from './ports.ts';
import type { ProcessOwner } from './server-process.ts';

const PROGRAMS = ['valkey-server', 'redis-server'];

const program = PROGRAMS.find((name) => spawnSync(name, ['--version']).status === 0);

/** For the options of a test: why it is skipped, or false. */
export const withoutEngine = program === undefined && 'neither valkey-server nor redis-server is installed';

export class RealEngine {
  readonly port: number;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;

  /** `options` are those of its configuration, such as `--requirepass secret`. */
  static async start(owner: ProcessOwner, options: readonly string[] = []): Promise<RealEngine> {
    const engine = new RealEngine(await freePort(), options);
    owner.after(() => engine.stop());
    await engine.start();
    return engine;
  }

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
  }

  get url(): string {
    return `valkey://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const plain = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no'];
    this.#child = spawn(program as string, [...plain, ...this.#options], { stdio: 'ignore' });
    await until('the engine answers', async () => {
      try {
        await this.say('PING');
        return true;
      } catch (error) {
        return /NOAUTH|MASTERDOWN/.test((error as Error).message);
      }
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** It keeps its connections, and answers nothing until `resume`. */
  suspend(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** The reply to one command. */
  async say(command: string, ...words: readonly string[]): Promise<unknown> {
    const client = new Redis({
      port: this.port,
      host: '127.0.0.1',
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: () => null,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(command, ...words);
    } finally {
      client.disconnect();
    }
  }
}
