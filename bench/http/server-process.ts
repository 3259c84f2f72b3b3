// Processes on one core each: servers started, waited for, stopped; and CPU time. When the harness ends, by
// an error or a signal, it stops those that remain.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 4;
const START_MS = 120_000;
/** Of a core: below this a process is at rest. */
const RESTING_SHARE = 0.05;
const REST_STEP_MS = 500; // fifty ticks
const STOP_MS = 10_000;
const KEPT_CHARS = 8_000;
const TICKS_PER_SECOND = 100; // USER_HZ, fixed by the kernel's interface on every Linux that Node runs on

/** For programs; the last folder is where Debian puts nginx. */
export const PROGRAM_PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

export interface Running {
  readonly address: string;
  readonly pid: number;
  /** What it printed until it was ready. */
  readonly printed: string;
  stop(): Promise<void>;
}

export interface StartPlan {
  readonly command: string;
  readonly words: readonly string[];
  readonly core: number;
  /** The address, once the output so far contains it or `address` answers. */
  readonly ready: (printed: string) => Promise<string | undefined> | string | undefined;
}

const living = new Set<ChildProcess>();

/** A process on one core, which does not outlive the harness. */
export function spawnOn(core: number, command: string, words: readonly string[]) {
  const child = spawn('taskset', ['-c', String(core), command, ...words], {
    env: { ...process.env, PATH: PROGRAM_PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}

/** Starts a server and resolves when it is ready. Throws with the end of its output if it ends first. */
export async function start({ command, words, core, ready }: StartPlan): Promise<Running> {
  const child = spawnOn(core, command, words);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started: taskset is missing`);
  let printed = '';
  const keep = (chunk: Buffer): void => {
    printed = (printed + chunk.toString()).slice(-KEPT_CHARS);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const stop = (): Promise<void> => stopChild(child);
  const startedMs = performance.now();
  for (;;) {
    const address = await ready(printed);
    if (address !== undefined) return { address, pid, printed, stop };
    const isLate = performance.now() - startedMs > START_MS;
    if (child.exitCode !== null || child.signalCode !== null || isLate) {
      await stop();
      throw new Error(`${command} ${isLate ? 'is not ready in time' : 'ended at once'}:\n${printed}`);
    }
    await sleep(POLL_MS);
  }
}

/** The address in a line `listening on http://…`. */
export function announced(printed: string): string | undefined {
  return /^listening on (http:\S+)$/m.exec(printed)?.[1];
}

/** For exit: kills everything at once. */
export function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

/** Seconds. */
export interface CpuTime {
  readonly user: number;
  readonly system: number;
}

/**
 * From one line of /proc/PID/stat: of the process, and of its children that have ended. Throws for any other
 * line.
 */
export function parseStat(line: string): { readonly own: CpuTime; readonly ended: CpuTime } {
  // The second field is the name in parentheses, which may contain spaces and parentheses: count from the
  // last one. Then utime, stime, cutime and cstime are 14 to 17 counted from the pid.
  const ticks = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  if (!line.includes(')') || ticks.length < 4 || ticks.some(Number.isNaN)) {
    throw new Error(`not a line of /proc/PID/stat: ${JSON.stringify(line.slice(0, 80))}`);
  }
  const [user, system, endedUser, endedSystem] = ticks.map((each) => each / TICKS_PER_SECOND);
  return { own: { user, system }, ended: { user: endedUser, system: endedSystem } };
}

/**
 * CPU time of a process, all threads, as the kernel counts it: unlike throughput, a slow load generator
 * cannot distort it. Requires: it is alive.
 */
export function cpuTime(pid: number): CpuTime {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).own;
}

/**
 * Resolves when the process uses next to nothing of its core. After its start a server checks its snapshot on
 * another thread, of the same core, for seconds: the first scenario would pay for that. Throws if it does not
 * rest in time.
 */
export async function untilAtRest(
  pid: number,
  timeOf: (pid: number) => CpuTime = cpuTime,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  const secondsNow = (): number => {
    const { user, system } = timeOf(pid);
    return user + system;
  };
  let before = secondsNow();
  for (let waitedMs = 0; waitedMs < START_MS; waitedMs += REST_STEP_MS) {
    await pause(REST_STEP_MS);
    const now = secondsNow();
    if ((now - before) * 1_000 < RESTING_SHARE * REST_STEP_MS) return;
    before = now;
  }
  throw new Error(`process ${pid} is still busy ${START_MS / 1_000} s after its start`);
}

/** Seconds of CPU time of this process's children that have ended. */
export function endedSeconds(): number {
  const { user, system } = parseStat(readFileSync('/proc/self/stat', 'utf8')).ended;
  return user + system;
}
