// Processor time of a process and its children, all threads, as the kernel counts it. The figure that a slow or
// stingy load generator cannot spoil.

import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // USER_HZ, fixed by the kernel's interface on every Linux that Node runs on

/** User and system time in seconds, from one line of /proc/PID/stat. Throws when it is none. */
export function parseStat(line: string): number {
  // The second field is the name in brackets and may hold blanks and brackets itself: count from the last one.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]); // utime and stime: 14 and 15 counted from the pid
  if (!line.includes(')') || !Number.isFinite(ticks)) {
    throw new Error(`no line of /proc/PID/stat: ${JSON.stringify(line.slice(0, 80))}`);
  }
  return ticks / TICKS_PER_SECOND;
}

/** Seconds of processor time that the process and its living children have used. Requires: it lives. */
export function cpuSeconds(pid: number): number {
  return processTree(pid).reduce(
    (sum, each) => sum + parseStat(readFileSync(`/proc/${each}/stat`, 'utf8')),
    0,
  );
}

/** The process and all that descend from it. Empty when it is gone. */
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
