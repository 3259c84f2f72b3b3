// The active keys of a serving process, from the file or generated for one run: reads them at startup and
// watches the file. Only startup takes longer with more keys: a changed file is prepared in a thread of its
// own, and adopting it swaps one reference.

import { hashKey, type KeysFile, makeKey, shippedTiers } from '../../access/keys-file.ts';
import { KeysFileError, readKeysFileBytes } from '../../access/read-keys.ts';
import { type KeysWatcher, watchKeysFile } from '../../access/watch-keys.ts';
import { ENDPOINTS } from '../../dialects/dialects.ts';
import { RateLimiterTable } from '../../http/callers/rate-limit.ts';
import type { PostedKeys } from '../messages.ts';
import { collectGarbageAtLast, startThread } from '../thread.ts';
import type { FromKeysThread } from './keys-thread.ts';
import { type KeysToPrepare, type PreparedKeys, prepareKeys } from './prepare-keys.ts';

/** After this long a worker has received new keys, or was replaced because it hung. */
const SURELY_HEARD_MS = 20_000;

export interface KeysEvents {
  /** Different keys are active. */
  readonly onChanged: (keys: PostedKeys, keyCount: number) => void;
  readonly onRefused: (error: Error) => void;
  /** A good file after one that was refused. */
  readonly onRecovered: () => void;
  /** The file's storage does not answer: no change is seen until `onResumed`. */
  readonly onStalled: (stalledMs: number) => void;
  readonly onResumed: () => void;
}

interface FollowOptions {
  readonly intervalMs?: number;
  /** Of the limiter's rows, where a fleet shares the quotas. */
  readonly leases?: SharedArrayBuffer | undefined;
  /** In place of a thread, for tests. */
  readonly prepare?: (data: KeysToPrepare) => Promise<PreparedKeys>;
}

export class KeysInForce {
  /** The key generated for this run, if there is no file. */
  readonly runKey: string | undefined;
  /** The shared memory in which all threads count. */
  readonly limiter: SharedArrayBuffer;
  readonly #path: string | undefined;
  readonly #digest: string;
  #keys: PreparedKeys;
  #changedMs = performance.now();
  #watcher: KeysWatcher | undefined;

  /** Without a path, generates a key for this run. Throws KeysFileError. */
  static async open(path: string | undefined): Promise<KeysInForce> {
    if (path === undefined) {
      const runKey = makeKey();
      return new KeysInForce(undefined, Buffer.from(JSON.stringify(fileForRunKey(runKey))), '', runKey);
    }
    const { bytes, digest } = await readKeysFileBytes(path);
    return new KeysInForce(path, bytes, digest, undefined);
  }

  private constructor(
    path: string | undefined,
    bytes: Uint8Array,
    digest: string,
    runKey: string | undefined,
  ) {
    this.runKey = runKey;
    this.limiter = new RateLimiterTable().memory;
    this.#path = path;
    this.#digest = digest;
    const fileName = path ?? 'the key of this run';
    this.#keys = prepareKeys({ bytes, fileName, limiter: this.limiter, keepsRetired: false });
  }

  get posted(): PostedKeys {
    return this.#keys.table;
  }

  /** Starts watching the file, if there is one. */
  follow(events: KeysEvents, { intervalMs, leases, prepare = prepareInThread }: FollowOptions = {}): void {
    const path = this.#path;
    if (path === undefined) return;
    this.#watcher = watchKeysFile<PreparedKeys>(path, {
      inForce: { content: this.#keys.content, digest: this.#digest },
      ...(intervalMs === undefined ? {} : { intervalMs }),
      prepare: (bytes) =>
        prepare({
          bytes,
          fileName: path,
          limiter: this.limiter,
          leases,
          previous: this.#keys.table,
          keepsRetired: performance.now() - this.#changedMs <= SURELY_HEARD_MS,
        }),
      onChange: (keys) => {
        this.#keys = keys;
        this.#changedMs = performance.now();
        events.onChanged(keys.table, keys.keyCount);
      },
      onRefused: events.onRefused,
      onRecovered: events.onRecovered,
      onStalled: events.onStalled,
      onResumed: events.onResumed,
    });
  }

  /** Checks the file now; resolves when the outcome has been reported. */
  async check(): Promise<void> {
    await this.#watcher?.check();
  }

  /**
   * Stops watching. False when the file's storage still has not answered: Node waits for it
   * before any kind of orderly exit.
   */
  async close(): Promise<boolean> {
    return (await this.#watcher?.close()) ?? true;
  }
}

function fileForRunKey(key: string): KeysFile {
  return {
    tiers: shippedTiers(ENDPOINTS),
    keys: [{ id: 'this-run', name: 'this run', sha256: hashKey(key), tier: 'operator' }],
  };
}

/** Rejects with what is wrong with the file, or with the error that ended the thread. */
function prepareInThread(data: KeysToPrepare): Promise<PreparedKeys> {
  return new Promise((resolve, reject) => {
    const thread = startThread('keys/keys-thread', data);
    thread.unref(); // the process does not wait for it to exit
    thread.once('message', (message: FromKeysThread) => {
      if (message.kind === 'prepared') resolve(message.keys);
      else if (message.kind === 'failed') reject(new Error(message.message));
      else reject(new KeysFileError(data.fileName, message.problems, message.problemCount));
    });
    thread.once('error', reject);
    thread.once('exit', (status) => {
      collectGarbageAtLast(); // the file's bytes, and the previous table
      reject(new Error(`the keys thread ended with status ${status}`)); // unless its message came before
    });
  });
}
