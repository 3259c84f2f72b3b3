// The built program serving, as operators start it: a separate process, its two listeners, its log. It is
// killed by its process id when the test ends, whatever the outcome.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { testLimits } from '../../../src/serve/signals.ts';
import { until } from '../until.ts';
import { freePort } from './ports.ts';

/** Which signals make which threads fail. */
const FAULTS = new URL('./faults.mjs', import.meta.url).href;

export type ServeOptions = Readonly<Record<string, string | number | true | readonly string[]>>;

export interface ServerPlan {
  readonly snapshots: string;
  readonly keys: string;
  readonly workers: number;
  readonly port?: number;
  readonly opsPort?: number;
  readonly drainSeconds?: number;
  /** Further options, without their dashes; they override those below. True for one without a value. */
  readonly options?: ServeOptions;
  /** The entry of a build other than the one in dist. */
  readonly entry?: string;
  /** A command prefix, such as `nice -n 5`. */
  readonly launcher?: readonly string[];
  /** The limit on open files. */
  readonly descriptors?: number;
  /** Limits of the workers, for those that are the point of a test. */
  readonly limits?: ReturnType<typeof testLimits>;
}

export interface LogLine {
  readonly msg: string;
  readonly level: number;
  readonly [member: string]: unknown;
}

/** A test's context. */
export interface ProcessOwner {
  readonly after: (clean: () => void | Promise<void>) => void;
}

const START_MS = 60_000;
const STOP_MS = 90_000; // replies in flight may take a minute
const LAST_LINES = 10;

export class ServerProcess {
  readonly port: number;
  readonly opsPort: number;
  readonly log: LogLine[] = [];
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #exit: Promise<number | NodeJS.Signals | null>;
  #printed = '';
  #errors = '';
  #rest = '';
  #hasExited = false;

  /** Resolves when the server is listening and has logged its start. Otherwise rejects with its output. */
  static async start(owner: ProcessOwner, plan: ServerPlan): Promise<ServerProcess> {
    const port = plan.port ?? (await freePort());
    const opsPort = plan.opsPort ?? (await freePort());
    const server = new ServerProcess(plan, port, opsPort);
    owner.after(() => server.kill());
    await server.#listening();
    return server;
  }

  private constructor(plan: ServerPlan, port: number, opsPort: number) {
    this.port = port;
    this.opsPort = opsPort;
    const options: ServeOptions = {
      snapshots: plan.snapshots,
      keys: plan.keys,
      host: '127.0.0.1',
      port,
      'ops-host': '127.0.0.1',
      'ops-port': opsPort,
      workers: plan.workers,
      'drain-seconds': plan.drainSeconds ?? 0,
      'max-shrink': 100,
      'latest-anchor': 'snapshot',
      ...plan.options,
    };
    const words = Object.entries(options).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, ...[value].flat().map(String)],
    );
    const limited =
      plan.descriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${plan.descriptors}; exec "$@"`, 'sh'];
    const program = [process.execPath, plan.entry ?? 'dist/cli.js', 'serve', ...words];
    const [command, ...rest] = [...limited, ...(plan.launcher ?? []), ...program];
    this.#child = spawn(command, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${FAULTS}`,
        ...(plan.limits === undefined ? {} : { VULNDEX_TEST_LIMITS: JSON.stringify(plan.limits) }),
      },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.#exit = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#hasExited = true;
        const { stdout } = this.#child;
        const status = code ?? signal;
        // The last lines are still in the pipe.
        if (stdout.isPaused() || stdout.destroyed || stdout.readableEnded) resolve(status);
        else stdout.once('close', () => resolve(status));
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** The beginning of what it wrote to stdout. */
  get printed(): string {
    return this.#printed;
  }

  /** What it wrote to stderr: nothing if all is well. */
  get errors(): string {
    return this.#errors;
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
  }

  /** Stops reading the log, so that the pipe fills up. */
  stopReading(): void {
    this.#child.stdout.pause();
  }

  /** Resumes reading the log. */
  readAgain(): void {
    this.#child.stdout.resume();
  }

  /** Closes the log pipe. */
  closeLog(): void {
    this.#child.stdout.destroy();
  }

  /** Sends SIGTERM; resolves with the exit status. Rejects with its last words if it aborted. */
  async stop(): Promise<number | NodeJS.Signals | null> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    try {
      const status = await this.#exit;
      if (typeof status === 'number' || status === 'SIGKILL') return status;
      throw this.#ended(status);
    } finally {
      clearTimeout(timer);
    }
  }

  async kill(): Promise<void> {
    if (!this.#hasExited) this.#child.kill('SIGKILL');
    await this.#exit;
  }

  /**
   * Log lines with this message, once there are `count`: they are read later than what they tell is seen.
   * Rejects with the last words of a server that ended before.
   */
  async told(msg: string, count = 1): Promise<readonly LogLine[]> {
    const isTold = (): boolean => this.logged(msg).length >= count;
    await until(`the log to say '${msg}'`, () => isTold() || this.#hasExited);
    if (!isTold()) {
      const status = await this.#exit;
      if (!isTold()) throw this.#ended(`${status}, and its log does not say '${msg}'`);
    }
    return this.logged(msg);
  }

  /** Log lines with this message that were read by now. */
  logged(msg: string): readonly LogLine[] {
    return this.log.filter((line) => line.msg === msg);
  }

  /** The answer of the operations listener. */
  async ops(
    path: 'healthz' | 'readyz' | 'metrics' | 'status' | 'operations' | 'operations/history',
  ): Promise<{ status: number; text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.opsPort}/${path}`, {
      signal: AbortSignal.timeout(5_000),
    });
    return { status: response.status, text: await response.text() };
  }

  /** The sum of a metric's samples over all labels; NaN if there are none. */
  async metric(name: string): Promise<number> {
    const { text } = await this.ops('metrics');
    const values = text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
    return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
  }

  #ended(how: number | string | null): Error {
    const log = this.log.slice(-LAST_LINES).map((line) => JSON.stringify(line));
    return new Error(`the server ended with ${how}:\n${log.join('\n')}\n${this.#errors}`);
  }

  async #listening(): Promise<void> {
    const startMs = performance.now();
    while (!/^listening on /m.test(this.#printed) || this.log.length === 0) {
      const tookMs = performance.now() - startMs;
      if (this.#hasExited || tookMs > START_MS) {
        throw new Error(`the server did not start:\n${this.#printed}${this.#errors}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #receive(text: string): void {
    if (this.#printed.length < 10_000) this.#printed += text;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) this.log.push(JSON.parse(line) as LogLine);
  }
}
