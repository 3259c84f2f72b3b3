// Follows a keys file by polling its stat: unlike file watchers, this misses no change on network mounts, in
// containers or across a rename. Owns when to read and what to report; the caller parses the bytes and
// applies the result.

import { stat } from 'node:fs/promises';
import { type KeysFileBytes, KeysFileError, readKeysFileBytes } from './read-keys.ts';

const POLL_MS = 250;
// Two writes within one tick of the file system's clock (up to 2 s) leave the same stat, so a file this young
// is read again at every poll.
const YOUNG_MS = 2000;
const STALL_MS = 10_000;
const CLOSE_MS = 1_000;
/**
 * After a failure that is not about the bytes: memory, a thread, rows of the limiter that are free again
 * later.
 */
const RETRY_MS = 30_000;

/** A parsed file, ready to apply. */
export type Prepared = {
  /** Equal for files with the same meaning. */
  readonly content: string;
};

export type WatchOptions<T extends Prepared> = {
  /** The file loaded at startup; without it the first good read counts as a change. */
  readonly inForce?: { readonly content: string; readonly digest: string };
  readonly intervalMs?: number;
  /** How long storage may take before it is reported as stalled. */
  readonly stallMs?: number;
  /**
   * Parses a file, or rejects with what is wrong with it. Called once for the same bytes in a row, but again
   * after a while if it rejects with anything but a KeysFileError.
   */
  readonly prepare: (bytes: Uint8Array) => Promise<T>;
  /** The content differs from the current one. Throwing refuses the file. */
  readonly onChange: (prepared: T) => void;
  /** Called once per state of the file; the current content stays in use. */
  readonly onRefused: (error: Error) => void;
  /** A good file after one that was reported, whether or not its content differs. */
  readonly onRecovered?: () => void;
  /** Storage does not respond: no change is seen until `onResumed`. */
  readonly onStalled?: (stalledMs: number) => void;
  readonly onResumed?: () => void;
  /** In place of the file system, for tests. */
  readonly storage?: Storage;
};

export type Storage = {
  readonly markOf: (path: string) => Promise<{ readonly mark: string; readonly young: boolean }>;
  readonly read: (path: string) => Promise<KeysFileBytes>;
};

export type KeysWatcher = {
  /** Checks now; resolves when the result has been reported. */
  readonly check: () => Promise<void>;
  /** No callback runs after this. Resolves soon: false if storage still has not responded. */
  readonly close: () => Promise<boolean>;
};

const FILE_SYSTEM: Storage = { markOf: statMark, read: readKeysFileBytes };

/**
 * A good file is applied at once. A bad or missing one is reported only if the next poll finds it unchanged:
 * it may be half written, or between an editor's delete and create.
 */
export function watchKeysFile<T extends Prepared>(path: string, options: WatchOptions<T>): KeysWatcher {
  const { prepare, onChange, onRefused, onStalled, onResumed } = options;
  const { intervalMs = POLL_MS, stallMs = STALL_MS, storage = FILE_SYSTEM } = options;
  let content = options.inForce?.content;
  let known = options.inForce?.digest; // digest of the last good bytes
  // What was refused last.
  let refused: { readonly digest: string; readonly error: Error; readonly untilMs: number } | undefined;
  // A stat, and until when not to read.
  let settled: { readonly mark: string; readonly untilMs: number } | undefined;
  let suspected: string | undefined; // a refusal seen once
  let reported: string | undefined;
  let closed = false;

  let askedMs: number | undefined; // start of the storage call in progress
  let stalled = false;
  async function ask<A>(answer: Promise<A>): Promise<A> {
    askedMs = performance.now();
    try {
      return await answer;
    } finally {
      askedMs = undefined;
      if (stalled && !closed) onResumed?.();
      stalled = false;
    }
  }

  async function take({ bytes, digest }: KeysFileBytes): Promise<void> {
    if (digest === known) return;
    if (digest === refused?.digest && performance.now() < refused.untilMs) throw refused.error;
    try {
      const prepared = await prepare(bytes);
      if (closed) return;
      if (prepared.content !== content) {
        onChange(prepared);
        content = prepared.content;
      }
      known = digest;
      refused = undefined;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const isFinal = error instanceof KeysFileError;
      refused = { digest, error, untilMs: isFinal ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS };
      throw error;
    }
  }

  async function look(): Promise<void> {
    if (closed) return;
    // Before the read: a write in between shows up as a different stat at the next poll.
    const { mark, young } = await ask(storage.markOf(path));
    if (closed || (mark === settled?.mark && performance.now() < settled.untilMs)) return;
    try {
      const found = await ask(storage.read(path));
      if (closed) return;
      await take(found);
      if (reported !== undefined) options.onRecovered?.();
      suspected = undefined;
      reported = undefined;
      settled = young ? undefined : { mark, untilMs: Number.POSITIVE_INFINITY };
    } catch (error) {
      if (closed) return;
      const refusal = error instanceof Error ? error : new Error(String(error));
      const token = `${mark} ${refusal.message}`;
      if (token === suspected && token !== reported) {
        reported = token;
        onRefused(refusal);
      }
      suspected = token;
      // A failure to read says nothing about the bytes: the next read may succeed although the file has not
      // changed.
      const untilMs = refusal === refused?.error ? refused.untilMs : 0;
      settled = young || token !== reported ? undefined : { mark, untilMs };
    }
  }

  let waiting = 0;
  let last = Promise.resolve();
  function check(): Promise<void> {
    waiting += 1;
    last = last.then(look).finally(() => {
      waiting -= 1;
    });
    return last;
  }

  const timer = setInterval(() => {
    if (waiting === 0) void check();
    const stalledMs = askedMs === undefined ? 0 : performance.now() - askedMs;
    if (stalled || stalledMs < stallMs) return;
    stalled = true;
    onStalled?.(stalledMs);
  }, intervalMs);
  timer.unref();

  return {
    check,
    close: async () => {
      closed = true;
      clearInterval(timer);
      const untilMs = performance.now() + CLOSE_MS;
      while (askedMs !== undefined && performance.now() < untilMs) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return askedMs === undefined;
    },
  };
}

async function statMark(path: string): Promise<{ readonly mark: string; readonly young: boolean }> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = await stat(path, { bigint: true });
    const young = Math.abs(Date.now() - Number(mtimeMs)) < YOUNG_MS;
    return { mark: `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`, young };
  } catch (error) {
    return { mark: (error as NodeJS.ErrnoException).code ?? 'no stat', young: false };
  }
}
