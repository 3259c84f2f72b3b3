// Follows a keys file by asking for its stat: no event is missed on network mounts, in containers or across a
// rename, where file watchers are. Owns when to read and what to report; what becomes of the bytes, and what happens
// with that, is the caller's.

import { stat } from 'node:fs/promises';
import { type KeysFileBytes, readKeysFileBytes } from './read-keys.ts';

const POLL_MS = 250;
// Two writes within one tick of the file system's clock leave the same stat (2 s on the coarsest), so a file
// this young is read again at each look.
const YOUNG_MS = 2000;
const STALL_MS = 10_000;
const CLOSE_MS = 1_000;

/** A file made ready. */
export type Prepared = {
  /** Equal for files that mean the same. */
  readonly content: string;
};

export type WatchOptions<T extends Prepared> = {
  /** The file as loaded at start; without it the first good read counts as a change. */
  readonly inForce?: { readonly content: string; readonly digest: string };
  readonly intervalMs?: number;
  /** How long storage may take before that is reported. */
  readonly stallMs?: number;
  /** Makes a file ready, or rejects with what is wrong with it. Asked once for the same bytes in a row. */
  readonly prepare: (bytes: Uint8Array) => Promise<T>;
  /** A file with other content than the one in force. Throwing refuses it. */
  readonly onChange: (prepared: T) => void;
  /** Once per state of the file; the one in force stays so. */
  readonly onRefused: (error: Error) => void;
  /** A good file after one that was reported, whether or not its content is another. */
  readonly onRecovered?: () => void;
  /** Storage does not answer: until `onResumed` no change is seen. */
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
  /** Looks now; resolves when what it saw has been reported. */
  readonly check: () => Promise<void>;
  /** No callback runs after it. Resolves soon: false when storage still has not answered a look. */
  readonly close: () => Promise<boolean>;
};

const FILE_SYSTEM: Storage = { markOf: statMark, read: readKeysFileBytes };

/**
 * A good file is taken at once. A bad or missing one is reported only when the next look finds it unchanged: it
 * may be half written, or between an editor's delete and create.
 */
export function watchKeysFile<T extends Prepared>(path: string, options: WatchOptions<T>): KeysWatcher {
  const { prepare, onChange, onRefused, onStalled, onResumed } = options;
  const { intervalMs = POLL_MS, stallMs = STALL_MS, storage = FILE_SYSTEM } = options;
  let content = options.inForce?.content;
  let known = options.inForce?.digest; // of the last bytes that were found good
  let refused: { readonly digest: string; readonly error: Error } | undefined; // the last that were not
  let settled: string | undefined; // the stat that needs no further read
  let suspected: string | undefined; // a refusal seen once
  let reported: string | undefined;
  let closed = false;

  let askedMs: number | undefined; // when storage was asked what it has not answered yet
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
    if (digest === refused?.digest) throw refused.error;
    try {
      const prepared = await prepare(bytes);
      if (closed) return;
      if (prepared.content !== content) {
        onChange(prepared);
        content = prepared.content;
      }
      known = digest;
    } catch (error) {
      refused = { digest, error: error instanceof Error ? error : new Error(String(error)) };
      throw refused.error;
    }
  }

  async function look(): Promise<void> {
    if (closed) return;
    // Before the read: a write that comes between them shows as another stat at the next look.
    const { mark, young } = await ask(storage.markOf(path));
    if (closed || mark === settled) return;
    try {
      const found = await ask(storage.read(path));
      if (closed) return;
      await take(found);
      if (reported !== undefined) options.onRecovered?.();
      suspected = undefined;
      reported = undefined;
      settled = young ? undefined : mark;
    } catch (error) {
      if (closed) return;
      const refusal = error instanceof Error ? error : new Error(String(error));
      const token = `${mark} ${refusal.message}`;
      if (token === suspected && token !== reported) {
        reported = token;
        onRefused(refusal);
      }
      suspected = token;
      settled = young || token !== reported ? undefined : mark;
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
