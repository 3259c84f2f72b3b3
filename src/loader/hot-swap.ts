// Follows a folder of snapshots: the newest valid one by its own build time, then id, is in force. A newer file
// is loaded aside and published as one reference; a file that is refused is reported once and not looked at
// again until it changes; a file that goes away unloads nothing.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Generation } from '../index/generation.ts';
import { SnapshotError } from './errors.ts';
import { SNAPSHOT_SUFFIX } from './format.ts';
import { type LoadedSnapshot, loadSnapshot } from './load.ts';
import { readSnapshotHeader } from './reader.ts';

const POLL_MS = 500;

export interface HotSwapEvents {
  /** A generation is in force; `tookMs` is what reading, checking and preparing it took. */
  readonly onLoaded: (loaded: LoadedSnapshot, file: string, tookMs: number) => void;
  /** The file is not served. What was in force stays so. */
  readonly onRefused: (error: Error, file: string) => void;
  /** The file is sound but older than what is in force. */
  readonly onOlder: (file: string, id: string) => void;
  /** The folder itself cannot be read, or can again (undefined). */
  readonly onFolder: (error: Error | undefined) => void;
}

export interface ScanOptions {
  readonly judgesFresh: boolean;
  readonly allowsShrink?: boolean;
}

interface Candidate {
  readonly file: string;
  /** Changes whenever the file does: inode, size, time of its last change. */
  readonly mark: string;
  readonly builtAtMs: number;
  readonly id: string;
}

export class HotSwap {
  readonly #folder: string;
  readonly #events: HotSwapEvents;
  readonly #maxShrinkPercent: number;
  /** By file: the mark under which it was last judged, so that a verdict is not repeated. */
  readonly #judged = new Map<string, string>();
  /** By file: the mark of the scan before, to let a slow copy come to rest. */
  #seen = new Map<string, string>();
  #current: LoadedSnapshot | undefined;
  #folderError: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `maxShrinkPercent` is the guard against an upstream that lost its data: a snapshot with that many percent
   * fewer published advisories than the one in force is refused. 100 switches it off.
   */
  constructor(folder: string, events: HotSwapEvents, maxShrinkPercent = 100) {
    this.#folder = folder;
    this.#events = events;
    this.#maxShrinkPercent = maxShrinkPercent;
  }

  /** The generation in force. Read it once a request. */
  current(): Generation | undefined {
    return this.#current?.generation;
  }

  /** Loads what is there and follows the folder from then on. */
  start(pollMs: number = POLL_MS): void {
    this.scan({ judgesFresh: true });
    this.#timer = setInterval(() => this.scan({ judgesFresh: false }), pollMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Looks once. A file that changed since the last look is let be, for it may be half copied, unless
   * `judgesFresh`. `allowsShrink` lifts the guard for this look.
   */
  scan({ judgesFresh, allowsShrink = false }: ScanOptions): void {
    const marks = this.#listFolder();
    if (marks === undefined) return;
    const settled = [...marks].filter(([file, mark]) => judgesFresh || this.#seen.get(file) === mark);
    this.#seen = marks;
    for (const file of this.#judged.keys()) if (!marks.has(file)) this.#judged.delete(file);
    const candidates = settled
      .filter(([file, mark]) => this.#judged.get(file) !== mark)
      .map(([file, mark]) => this.#readCandidate(file, mark))
      .filter((candidate) => candidate !== undefined)
      .sort((a, b) => -compareAge(a, b));
    for (const candidate of candidates) this.#consider(candidate, allowsShrink);
  }

  /** Marks of the snapshot files by path, or undefined when the folder cannot be read. */
  #listFolder(): Map<string, string> | undefined {
    const marks = new Map<string, string>();
    try {
      for (const name of readdirSync(this.#folder)) {
        if (!name.endsWith(SNAPSHOT_SUFFIX) || name.startsWith('.')) continue;
        const file = join(this.#folder, name);
        const mark = markOf(file);
        if (mark !== undefined) marks.set(file, mark);
      }
    } catch (error) {
      const { message } = error as Error;
      if (this.#folderError !== message) this.#events.onFolder(error as Error);
      this.#folderError = message;
      return undefined;
    }
    if (this.#folderError !== undefined) this.#events.onFolder(undefined);
    this.#folderError = undefined;
    return marks;
  }

  #readCandidate(file: string, mark: string): Candidate | undefined {
    try {
      const { header, id } = readSnapshotHeader(file);
      return { file, mark, builtAtMs: header.builtAtMs, id };
    } catch (error) {
      this.#refuse(file, mark, error);
      return undefined;
    }
  }

  /** Requires: candidates come newest first, so that at most one valid file is loaded a scan. */
  #consider(candidate: Candidate, allowsShrink: boolean): void {
    const { file, mark, id } = candidate;
    const current = this.#current?.generation;
    if (current !== undefined) {
      const age = compareAge(candidate, { builtAtMs: current.parts.builtAtMs, id: current.id });
      if (age <= 0) {
        this.#judged.set(file, mark);
        if (age < 0) this.#events.onOlder(file, id);
        return;
      }
    }
    const startMs = performance.now();
    try {
      const loaded = loadSnapshot(file);
      if (current !== undefined && !allowsShrink) this.#requireSize(loaded.generation, current);
      this.#current = loaded;
      this.#judged.set(file, mark);
      this.#events.onLoaded(loaded, file, performance.now() - startMs);
    } catch (error) {
      this.#refuse(file, mark, error);
    }
  }

  /** Throws SnapshotError when too many of the published advisories would be gone. */
  #requireSize(next: Generation, current: Generation): void {
    const lost = current.publishedCount - next.publishedCount;
    const least = Math.ceil(current.publishedCount * (1 - this.#maxShrinkPercent / 100));
    if (this.#maxShrinkPercent >= 100 || lost <= 0 || next.publishedCount > least) return;
    throw new SnapshotError({
      code: 'shrunk',
      section: 'file',
      offset: 0,
      expected: `more than ${least} published advisories`,
      got: `${next.publishedCount} after ${current.publishedCount}`,
    });
  }

  #refuse(file: string, mark: string, error: unknown): void {
    this.#judged.set(file, mark);
    // Anything else than a SnapshotError is our own mistake or a limit; it too stops only this file.
    this.#events.onRefused(error instanceof SnapshotError ? error : new Error(String(error)), file);
  }
}

/** Undefined when the file is gone. One that cannot be looked at is for the reader to refuse, by itself. */
function markOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'; // stat throws nothing else
  }
}

/** Positive when `a` is newer: by build time, then by id. */
function compareAge(a: Pick<Candidate, 'builtAtMs' | 'id'>, b: Pick<Candidate, 'builtAtMs' | 'id'>): number {
  return a.builtAtMs - b.builtAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
