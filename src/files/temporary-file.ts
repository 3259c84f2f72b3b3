// Files written beside their target before a rename. Servers ignore their names, which identify the process,
// so the next process can remove what a killed one left behind.

import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const KINDS = [
  'compiling',
  'rejects',
  'generating',
  'importing',
  'mirroring',
  'fetching',
  'refreshing',
  'locking',
  'publishing',
] as const;
export type TemporaryKind = (typeof KINDS)[number];

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Kind, then host and process; names written by older releases lack those. */
const NAME = new RegExp(`^\\.(?:${KINDS.join('|')})-(?:(?<host>.+)-(?<pid>\\d+)-)?${UUID}\\.tmp$`);
/**
 * No process writes one file this long. For files of other machines and containers, whose processes are
 * unknown.
 */
const ABANDONED_MS = 24 * 3_600_000;

/** A new name in `folder`. */
export function temporaryPath(folder: string, kind: TemporaryKind): string {
  return join(folder, `.${kind}-${hostName()}-${process.pid}-${randomUUID()}.tmp`);
}

/**
 * Removes what dead processes left in `folder`: files of processes on this machine that no longer run, and
 * any file last written more than a day ago. What cannot be removed stays.
 */
export function sweepTemporaryFiles(folder: string, nowMs: number): void {
  for (const name of namesIn(folder)) {
    const found = NAME.exec(name);
    if (found === null) continue;
    const { host, pid } = found.groups ?? {};
    const path = join(folder, name);
    const isDead = pid !== undefined && host === hostName() && !isRunning(Number(pid));
    try {
      const stat = lstatSync(path);
      if (stat.isFile() && (isDead || stat.mtimeMs < nowMs - ABANDONED_MS)) unlinkSync(path);
    } catch {
      // already removed by another process, or no permission
    }
  }
}

/** Empty for a folder that is missing or cannot be listed: writing to it will report any error. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Where process ids have one meaning: containers that share the host's network have its name, but ids of
 * their own.
 */
function hostName(): string {
  return `${hostname()}.${processNamespace()}`.replace(/[^\w.-]/g, '_');
}

/** As `pid:[4026531836]`; empty where the system has none. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Whether a process of this machine is alive. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 only checks
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it runs as another user
  }
}
