// File descriptors: how many connections they allow, and what happens when they run out anyway. The native
// listener spins when it has no descriptor to accept with, so listening has to stop until there are some.

import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Log } from '../log/log.ts';

/** For files, threads, the operations listener, and connections that are accepted only to be closed. */
const RESERVE = 128;
const RESERVE_PER_WORKER = 16;
const PROBE_MS = 500;
/** Accepting resumes when this many are free, so that it does not stop again at once. */
const ENOUGH = 32;

/** The most descriptors this process may have open; undefined if unknown or unlimited. */
export function descriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined; // no such file outside Linux
  }
}

/** Connections that each worker may keep open: `wanted`, or fewer if the limit requires it; at least one. */
export function fitConnections(wanted: number, workers: number, limit: number | undefined): number {
  if (limit === undefined) return wanted;
  const allowed = Math.floor((limit - RESERVE) / workers) - RESERVE_PER_WORKER;
  return Math.max(1, Math.min(wanted, allowed));
}

/** Checks twice a second; calls back when descriptors have run out and when enough are free again. */
export class DescriptorWatch {
  readonly #onChange: (haveRunOut: boolean) => void;
  readonly #canOpen: (count: number) => boolean;
  readonly #timer: NodeJS.Timeout;
  #haveRunOut = false;

  constructor(onChange: (haveRunOut: boolean) => void, canOpen: (count: number) => boolean = canOpenFiles) {
    this.#onChange = onChange;
    this.#canOpen = canOpen;
    this.#timer = setInterval(() => this.look(), PROBE_MS);
    this.#timer.unref();
  }

  look(): void {
    if (this.#canOpen(this.#haveRunOut ? ENOUGH : 1) !== this.#haveRunOut) return;
    this.#haveRunOut = !this.#haveRunOut;
    this.#onChange(this.#haveRunOut);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function canOpenFiles(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'EMFILE' && code !== 'ENFILE';
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/**
 * The cap on connections per worker, lowered to fit the limit on descriptors of this
 * process, which is then logged.
 */
export function fitMaxConnections(maxConnections: number, workers: number, log: Pick<Log, 'warn'>): number {
  const limit = descriptorLimit();
  const fitted = fitConnections(maxConnections, workers, limit);
  if (fitted < maxConnections) {
    log.warn(
      { maxConnections, fitted, workers, descriptors: limit },
      '--max-connections lowered: the limit on open files (ulimit -n) allows no more',
    );
  }
  return fitted;
}
