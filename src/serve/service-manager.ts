// Tells systemd that this process is ready, and that it stops (sd_notify(3)), by its own program
// systemd-notify: Node has no Unix datagram sockets, and packages that add them are compiled when they are
// installed. One shell, started while this process is small, waits for both words. To fork this process later
// would stop all its threads while the kernel copies the tables of its pages: at 1 GB, 50 ms and more.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Log } from './log/log.ts';

/** The program itself waits at most 5 s for systemd. */
const STOP_MS = 10_000;
const CHECK_MS = 1_000;
/** Whoever does not listen now may do so after a restart. */
const LOOP = 'while read -r word; do until systemd-notify "$word"; do sleep 10; done; done';

type Environment = Readonly<Record<string, string | undefined>>;

export class ServiceManager {
  readonly #shell: ReturnType<typeof startShell>;
  #timer: NodeJS.Timeout | undefined;

  /** Undefined if no systemd listens to this process. */
  static open(
    { NOTIFY_SOCKET: socket, PATH: path = '/usr/bin:/bin' }: Environment,
    log: Pick<Log, 'warn'>,
  ): ServiceManager | undefined {
    if (socket === undefined || socket === '') return undefined;
    return new ServiceManager({ NOTIFY_SOCKET: socket, PATH: path }, log); // nothing else: it may be secret
  }

  private constructor(environment: Readonly<Record<string, string>>, log: Pick<Log, 'warn'>) {
    this.#shell = startShell(environment);
    createInterface(this.#shell.stderr).once('line', (text: string) => {
      log.warn(
        { reason: text.slice(0, 1_000) },
        'systemd cannot be told how this process is, and is told later; check NOTIFY_SOCKET, NotifyAccess=all, and that systemd-notify is installed',
      );
    });
  }

  /** Asks each second until the answer is yes, and then tells systemd. */
  whenReady(isReady: () => boolean): void {
    this.#timer = setInterval(() => {
      if (!isReady()) return;
      clearInterval(this.#timer);
      this.#shell.stdin.write('READY=1\n');
    }, CHECK_MS);
    this.#timer.unref();
  }

  /** Resolves when systemd was told, or after `mostMs`. */
  async stopping(mostMs = STOP_MS): Promise<void> {
    clearInterval(this.#timer);
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    const timer = setTimeout(() => this.close(), mostMs);
    this.#shell.ref();
    this.#shell.stdin.end('STOPPING=1\n');
    await once(this.#shell, 'exit'); // not `close`: what the shell has started may outlive it
    clearTimeout(timer);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#shell.kill('SIGKILL');
  }
}

function startShell(env: Readonly<Record<string, string>>) {
  const shell = spawn('/bin/sh', ['-c', LOOP], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  shell.on('error', () => {}); // no /bin/sh: nobody is told
  shell.unref(); // only the word that this process stops, by its time limit, keeps it
  for (const pipe of [shell.stdin, shell.stderr]) {
    pipe.on('error', () => {});
    if (pipe instanceof Socket) pipe.unref();
  }
  return shell;
}
