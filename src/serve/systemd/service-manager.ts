// What systemd is told of this process (sd_notify(3)), and when: that it is ready, what it does, that its
// threads run, that it stops. Without NOTIFY_SOCKET there is nobody to tell. How a line gets there is up to
// notify-program.ts.

import { performance } from 'node:perf_hooks';
import type { Readiness } from '../../http/readiness.ts';
import type { Log } from '../log/log.ts';
import { type NotifyProgram, openNotifyProgram } from './notify-program.ts';

const CHECK_MS = 1_000;
/** After a failure. Whoever does not listen now may do so after a restart. */
const PAUSE_MS = 10_000;

/** What the process is like at a check. */
export interface Look {
  readonly readiness: Readiness;
  /** Of the live snapshot. */
  readonly snapshotId: string | undefined;
  /** Whether the workers run; that this thread does is told by the check itself. */
  readonly isBeating: boolean;
}

/** What tests replace. */
export interface ServiceManagerMeans {
  readonly open?: (environment: Readonly<Record<string, string>>) => NotifyProgram;
  /** The monotonic clock. */
  readonly nowMs?: () => number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Half of the time after which systemd takes the process for hung; undefined without a watchdog. */
export function beatEveryMs(
  { WATCHDOG_USEC: period, WATCHDOG_PID: pid }: Environment,
  ownPid: number,
  log: Pick<Log, 'warn'>,
): number | undefined {
  if (period === undefined || period === '') return undefined;
  if (pid !== undefined && pid !== '' && pid !== String(ownPid)) return undefined; // another process's
  if (/^[1-9]\d{0,15}$/.test(period)) return Number(period) / 2_000;
  log.warn(
    { got: period.slice(0, 100), expected: 'microseconds' },
    'WATCHDOG_USEC is not understood: systemd gets no heartbeat; set WatchdogSec= in the unit',
  );
  return undefined;
}

export class ServiceManager {
  readonly #program: NotifyProgram;
  readonly #beatMs: number | undefined;
  readonly #log: Pick<Log, 'warn' | 'info'>;
  readonly #nowMs: () => number;
  #look: (() => Look) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> | undefined;
  #isFailing = false;
  #isStopping = false;
  #isReady = false;
  #status = '';
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  /** Undefined if no systemd listens to this process. */
  static open(
    environment: Environment,
    log: Pick<Log, 'warn' | 'info'>,
    means: ServiceManagerMeans = {},
  ): ServiceManager | undefined {
    const { NOTIFY_SOCKET: socket, PATH: path = '/usr/bin:/bin' } = environment;
    if (socket === undefined || socket === '') return undefined;
    const { open = openNotifyProgram, nowMs = () => performance.now() } = means;
    const program = open({ NOTIFY_SOCKET: socket, PATH: path }); // nothing else: variables may be secrets
    return new ServiceManager(program, beatEveryMs(environment, process.pid, log), log, nowMs);
  }

  private constructor(
    program: NotifyProgram,
    beatMs: number | undefined,
    log: Pick<Log, 'warn' | 'info'>,
    nowMs: () => number,
  ) {
    this.#program = program;
    this.#beatMs = beatMs;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** From now on systemd is told of what `look` sees. */
  follow(look: () => Look): void {
    this.#look = look;
    // A heartbeat is late by one check at most, so by a quarter of systemd's patience.
    this.#timer = setInterval(() => this.check(), Math.min(CHECK_MS, (this.#beatMs ?? CHECK_MS) / 2));
    this.#timer.unref();
    this.check();
  }

  /** Tells what has changed. Does nothing while something is being told, so that nothing piles up. */
  check(): void {
    if (this.#look === undefined || this.#telling !== undefined || this.#isStopping) return;
    if (this.#nowMs() < this.#pausedUntilMs) return;
    this.#telling = this.#tellAll(this.#look()).finally(() => {
      this.#telling = undefined;
    });
  }

  /** Tells that the process stops, and nothing after that. Resolves when it was told or cannot be. */
  async stopping(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#telling;
    await this.#program.tell('STOPPING=1').catch((error: Error) => this.#failed(error));
  }

  close(): void {
    this.#isStopping = true;
    clearInterval(this.#timer);
    this.#program.close();
  }

  async #tellAll({ readiness, snapshotId, isBeating }: Look): Promise<void> {
    const nowMs = this.#nowMs();
    const status = statusOf(readiness, snapshotId);
    try {
      if (readiness.kind !== 'unready' && !this.#isReady) {
        await this.#program.tell('READY=1');
        this.#isReady = true;
      }
      if (this.#beatMs !== undefined && isBeating && nowMs - this.#lastBeatMs >= this.#beatMs) {
        await this.#program.tell('WATCHDOG=1');
        this.#lastBeatMs = nowMs;
      }
      if (status !== this.#status) {
        await this.#program.tell(`STATUS=${status}`);
        this.#status = status;
      }
      if (this.#isFailing) this.#log.info('systemd is told again how this process is');
      this.#isFailing = false;
    } catch (error) {
      this.#failed(error as Error);
    }
  }

  #failed({ message }: Error): void {
    // A heartbeat that is tried again after that still comes in time.
    this.#pausedUntilMs = this.#nowMs() + Math.min(PAUSE_MS, (this.#beatMs ?? PAUSE_MS) / 2);
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.warn(
      { reason: message },
      'systemd cannot be told how this process is, and is told later; check NOTIFY_SOCKET, NotifyAccess=all, and that systemd-notify is installed',
    );
  }
}

function statusOf(readiness: Readiness, snapshotId: string | undefined): string {
  if (readiness.kind === 'unready') return `Not ready: ${readiness.code.replaceAll('_', ' ')}`;
  const serving = `Serving snapshot ${snapshotId ?? 'none'}`;
  return readiness.kind === 'ready' ? serving : `${serving}, which is older than it should be`;
}
