// Reasons to refuse a sound snapshot here and now: it is larger than allowed, it lost too much of its data,
// or it was built ahead of the clock. Each guard returns a SnapshotError or undefined; the caller decides
// what follows.

import { resolve } from 'node:path';
import { SnapshotError } from '../errors.ts';

/**
 * Clocks differ; a build time further ahead than this is wrong, and would block every snapshot until then.
 */
export const MAX_AHEAD_MS = 5 * 60_000;

export function findTooLarge(bytes: number, maxBytes: number): SnapshotError | undefined {
  if (bytes <= maxBytes) return undefined;
  return new SnapshotError({
    code: 'too-large',
    section: 'file',
    offset: maxBytes,
    expected: `at most ${maxBytes} bytes`,
    got: String(bytes),
  });
}

export function findBuiltAhead(builtAtMs: number, nowMs: number): SnapshotError | undefined {
  const latestMs = nowMs + MAX_AHEAD_MS;
  if (builtAtMs <= latestMs) return undefined;
  return new SnapshotError({
    code: 'built-ahead',
    section: 'header',
    offset: 24,
    expected: `built by ${new Date(latestMs).toISOString()}, 5 minutes from now`,
    got: new Date(builtAtMs).toISOString(),
  });
}

/**
 * Whether `next` published advisories are `maxShrinkPercent` percent or more below `current`; never for 100.
 */
export function isShrunk(next: number, current: number, maxShrinkPercent: number): boolean {
  return maxShrinkPercent < 100 && next < current && next <= leastPublished(current, maxShrinkPercent);
}

function leastPublished(current: number, maxShrinkPercent: number): number {
  return Math.ceil(current * (1 - maxShrinkPercent / 100));
}

/**
 * Refuses `next` published advisories if they are `maxShrinkPercent` percent or more below `current`; 100
 * allows any. The error ends with the command that accepts the file.
 */
export function findShrunk(
  file: string,
  next: number,
  current: number,
  maxShrinkPercent: number,
): SnapshotError | undefined {
  if (!isShrunk(next, current, maxShrinkPercent)) return undefined;
  return new SnapshotError({
    code: 'shrunk',
    section: 'file',
    offset: 0,
    expected: `more than ${leastPublished(current, maxShrinkPercent)} published advisories`,
    got: `${next} after ${current}`,
    remedy: `if this is intended, run: vulndex snapshots accept-shrink ${shellWord(resolve(file))}`,
  });
}

/** Quoted for a shell where needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
