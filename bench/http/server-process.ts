// Server processes: started on given cores, waited for, stopped by their own ids; and their CPU time. When the harness
// ends, by an error or a signal, it stops those that remain.

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const POLL_MS = 4; // also how exactly a start is timed
const START_MS = 300_000; // a million advisories into an SQLite database take minutes
const STOP_MS = 10_000;
const KEPT_CHARS = 8_000;
const TICKS_PER_SECOND = 100; // USER_HZ, fixed by the kernel's interface on every Linux that Node runs on

/** For programs; the last folder is where Debian puts nginx. */
export const PROGRAM_PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

export interface Running {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface StartPlan {
  readonly command: string;
  readonly words: readonly string[];
  readonly cores: readonly number[];
  /** The address, once the output so far contains it or `address` answers. */
  readonly ready: (printed: string) => Promise<string | undefined> | string | undefined;
}

const living = new Set<ChildProcess>();

/** Starts a process and resolves when it is ready. */
export async function start({ command, words, cores, ready }: StartPlan): Promise<Running> {
  const child = spawn('taskset', ['-c', cores.join(','), command, ...words], {
    env: { ...process.env, PATH: PROGRAM_PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started: taskset is missing`);
  living.add(child);
  let printed = '';
  const keep = (chunk: Buffer): void => {
    printed = (printed + chunk.toString()).slice(-KEPT_CHARS);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.once('exit', () => living.delete(child));
  const stop = (): Promise<void> => stopChild(child);
  const startedMs = performance.now();
  for (;;) {
    const address = await ready(printed);
    if (address !== undefined) return { address, pid, stop };
    const isLate = performance.now() - startedMs > START_MS;
    if (child.exitCode !== null || child.signalCode !== null || isLate) {
      await stop();
      throw new Error(`${command} ${isLate ? 'is not ready in time' : 'ended at once'}:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The address in a line `listening on http://…`. */
export function announced(printed: string): string | undefined {
  return /^listening on (http:\S+)$/m.exec(printed)?.[1];
}

/** For exit: kills everything at once. */
export function killAll(): void {
  for (const { pid } of living) {
    for (const each of processTree(pid ?? 0)) kill(each, 'SIGKILL');
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pids = processTree(child.pid ?? 0); // read first: a dead process no longer lists its children
  kill(child.pid ?? 0, 'SIGTERM');
  const timer = setTimeout(() => {
    for (const pid of pids) kill(pid, 'SIGKILL');
  }, STOP_MS);
  await ended;
  clearTimeout(timer);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return;
  try {
    process.kill(pid, signal);
  } catch {
    // already gone
  }
}

/** User and system time in seconds, from one line of /proc/PID/stat. Throws for any other line. */
export function parseStat(line: string): number {
  // The second field is the name in parentheses, which may contain spaces and parentheses: count from the last one.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]); // utime and stime: 14 and 15 counted from the pid
  if (!line.includes(')') || !Number.isFinite(ticks)) {
    throw new Error(`not a line of /proc/PID/stat: ${JSON.stringify(line.slice(0, 80))}`);
  }
  return ticks / TICKS_PER_SECOND;
}

/**
 * Seconds of CPU time of the process and its live children, all threads, as the kernel counts it: unlike throughput, a
 * slow load generator cannot distort it. Requires: it is alive.
 */
export function cpuSeconds(pid: number): number {
  return processTree(pid).reduce(
    (sum, each) => sum + parseStat(readFileSync(`/proc/${each}/stat`, 'utf8')),
    0,
  );
}

/** The process and all its descendants. Empty if it is gone. */
export function processTree(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(processTree)];
  } catch {
    return [];
  }
}
