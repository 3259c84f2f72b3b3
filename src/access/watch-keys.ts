// Follows a keys file by asking for its stat: no event is missed on network mounts, in containers or across a
// rename, where file watchers are. Owns when to read and what to report; what happens with a file is the caller's.

import { stat } from 'node:fs/promises';
import type { KeysFile } from './keys-file.ts';
import { readKeysFile } from './keys-file.ts';

const POLL_MS = 250;
// Two writes within one tick of the file system's clock leave the same stat (2 s on the coarsest), so a file
// this young is read again at each look.
const YOUNG_MS = 2000;

export type WatchOptions = {
  /** The file as loaded at start; without it the first good read counts as a change. */
  readonly inForce?: KeysFile;
  readonly intervalMs?: number;
  /** A file with other content than the one in force. Throwing refuses it. */
  readonly onChange: (file: KeysFile) => void;
  /** Once per state of the file; the one in force stays so. */
  readonly onRefused: (error: Error) => void;
  /** A good file after one that was reported, whether or not its content is another. */
  readonly onRecovered?: () => void;
};

export type KeysWatcher = {
  /** Looks now; resolves when what it saw has been reported. */
  readonly check: () => Promise<void>;
  /** No callback runs after it. */
  readonly close: () => void;
};

/**
 * A good file is taken at once. A bad or missing one is reported only when the next look finds it unchanged: it
 * may be half written, or between an editor's delete and create.
 */
export function watchKeysFile(path: string, options: WatchOptions): KeysWatcher {
  const { onChange, onRefused, intervalMs = POLL_MS } = options;
  let inForce = options.inForce === undefined ? undefined : JSON.stringify(options.inForce);
  let settled: string | undefined; // the stat that needs no further read
  let suspected: string | undefined; // a refusal seen once
  let reported: string | undefined;
  let closed = false;

  async function look(): Promise<void> {
    if (closed) return;
    // Before the read: a write that comes between them shows as another stat at the next look.
    const { mark, young } = await statMark(path);
    if (mark === settled) return;
    try {
      const file = await readKeysFile(path);
      if (closed) return;
      const content = JSON.stringify(file);
      if (content !== inForce) {
        onChange(file);
        inForce = content;
      }
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
  }, intervalMs);
  timer.unref();

  return {
    check,
    close: () => {
      closed = true;
      clearInterval(timer);
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
