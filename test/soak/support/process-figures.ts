// Figures of a running process, from Linux: resident memory and open descriptors.

import { readdirSync, readFileSync } from 'node:fs';

const KIB = 1024;
export const MIB = KIB * KIB;

/** Bytes; 0 if the process is gone. */
export function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB;
  } catch {
    return 0;
  }
}

export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The most resident memory while it watches, twice a second. */
export class MemoryWatch {
  readonly #timer: NodeJS.Timeout;
  #most = 0;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      this.#most = Math.max(this.#most, residentBytes(pid));
    }, 500);
  }

  /** Bytes. */
  stop(): number {
    clearInterval(this.#timer);
    return this.#most;
  }
}

export function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(0)} MiB`;
}
