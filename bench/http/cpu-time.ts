// CPU time of a process and its children, all threads, as the kernel counts it. Unlike throughput, a slow load
// generator cannot distort it.

import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // USER_HZ, fixed by the kernel's interface on every Linux that Node runs on

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

/** Seconds of CPU time used by the process and its live children. Requires: it is alive. */
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
