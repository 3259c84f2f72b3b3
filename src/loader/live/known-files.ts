// What is remembered of each file in the folder until it changes: its age from its header, the verdict about
// its bytes, and when to try again what the system failed to read. hot-swap.ts decides which file goes live.

import { SnapshotError, type SnapshotErrorCode } from '../errors.ts';
import { type OpenSnapshot, withSnapshot } from '../snapshot/reader.ts';
import { findTooLarge } from './guards.ts';
import type { MarkerWatch } from './markers.ts';
import { compareAge, type SnapshotAge } from './snapshot-age.ts';
import type { FolderLook } from './snapshot-folder.ts';

const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 60_000;

/** Guards refuse sound files; an operator may override. */
const GUARDS: readonly SnapshotErrorCode[] = ['shrunk', 'verdicts-changed'];

export interface KnownFile {
  readonly mark: string;
  /** From its header; undefined until that is read. */
  age: SnapshotAge | undefined;
  bytes: number;
  /** About its bytes, so final until the file changes. An operator can accept what a guard stopped. */
  verdict: 'none' | 'refused' | 'guarded';
  /** What has been reported about it, to report it only once. */
  reported: 'nothing' | 'older' | 'ahead';
  /** The last system error, and when to retry. */
  failure: { readonly message: string; readonly pauseMs: number; tryAtMs: number } | undefined;
  /** The marker that accepts it although it shrank, once that was looked for. */
  accept: MarkerWatch<string> | undefined;
}

export type Candidate = KnownFile & { readonly age: SnapshotAge };

export class KnownFiles {
  /** By path. */
  readonly #files = new Map<string, KnownFile>();
  readonly #maxSnapshotBytes: number;
  readonly #nowMs: () => number;
  readonly #onRefused: (error: Error, file: string) => void;

  constructor(
    maxSnapshotBytes: number,
    nowMs: () => number,
    onRefused: (error: Error, file: string) => void,
  ) {
    this.#maxSnapshotBytes = maxSnapshotBytes;
    this.#nowMs = nowMs;
    this.#onRefused = onRefused;
  }

  get(file: string): KnownFile | undefined {
    return this.#files.get(file);
  }

  /** Those that could go live, the newest first. */
  candidates(): [file: string, candidate: Candidate][] {
    return [...this.#files]
      .filter((entry): entry is [string, Candidate] => isCandidate(entry[1]))
      .sort(([, a], [, b]) => -compareAge(a.age, b.age));
  }

  /** Forgets files that have changed, and reads the headers of new ones. `isRetry` ends the pauses. */
  follow(look: FolderLook, isRetry: boolean): void {
    for (const [file, { mark }] of this.#files) if (look.marks.get(file) !== mark) this.forget(file);
    if (isRetry) for (const { failure } of this.#files.values()) if (failure) failure.tryAtMs = 0;
    for (const [file, mark] of look.settled) this.#readAge(file, mark);
  }

  forget(file: string): void {
    this.#files.delete(file);
  }

  /** Whether the system failed to read it recently. */
  isPausing({ failure }: KnownFile): boolean {
    return failure !== undefined && failure.tryAtMs > this.#nowMs();
  }

  requireAllowedSize({ header }: OpenSnapshot): void {
    const error = findTooLarge(header.totalBytes, this.#maxSnapshotBytes);
    if (error !== undefined) throw error;
  }

  /**
   * Reports why a file is not served. Only a verdict about the bytes is final: errors of the system, of
   * memory and of this program may be transient.
   */
  refuse(file: string, known: KnownFile, thrown: unknown): void {
    const error = thrown instanceof SnapshotError ? thrown : new Error(String(thrown));
    const { failure } = known;
    if (error instanceof SnapshotError && error.code !== 'unreadable') {
      known.verdict = GUARDS.includes(error.code) ? 'guarded' : 'refused';
      known.failure = undefined;
    } else {
      const pauseMs = failure === undefined ? FIRST_PAUSE_MS : Math.min(LAST_PAUSE_MS, 2 * failure.pauseMs);
      known.failure = { message: error.message, pauseMs, tryAtMs: this.#nowMs() + pauseMs };
      if (error.message === failure?.message) return;
    }
    this.#onRefused(error, file);
  }

  /** Reads the header of a file that is new or that the system failed to read. */
  #readAge(file: string, mark: string): void {
    let known = this.#files.get(file);
    if (known === undefined) {
      known = {
        mark,
        age: undefined,
        bytes: 0,
        verdict: 'none',
        reported: 'nothing',
        failure: undefined,
        accept: undefined,
      };
      this.#files.set(file, known);
    }
    if (known.age !== undefined || known.verdict !== 'none' || this.isPausing(known)) return;
    try {
      const found = withSnapshot(file, (open) => {
        if (open.mark !== mark) return undefined;
        this.requireAllowedSize(open);
        const { builtAtMs, totalBytes } = open.header;
        return { age: { builtAtMs, id: open.id }, bytes: totalBytes };
      });
      if (found === undefined) this.forget(file);
      else Object.assign(known, found);
    } catch (error) {
      this.refuse(file, known, error);
    }
  }
}

export function isCandidate(known: KnownFile): known is Candidate {
  return known.age !== undefined && known.verdict !== 'refused';
}
