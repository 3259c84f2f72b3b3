// Figures of a running process, from Linux: resident memory and open descriptors.

import { readdirSync, readFileSync } from 'node:fs';

const KIB = 1024;

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

export interface MemorySample {
  readonly atMs: number;
  readonly bytes: number;
}

/** Resident memory, sampled twice a second until `stop`. */
export class MemoryWatch {
  readonly #samples: MemorySample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(
      () => this.#samples.push({ atMs: performance.now(), bytes: residentBytes(pid) }),
      500,
    );
  }

  stop(): readonly MemorySample[] {
    clearInterval(this.#timer);
    return this.#samples;
  }
}

/** The median, so that a swap in progress during one sample does not count. Requires: at least one. */
export function medianBytes(samples: readonly MemorySample[]): number {
  const sorted = samples.map(({ bytes }) => bytes).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] as number;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / (KIB * KIB)).toFixed(0)} MiB`;
}
