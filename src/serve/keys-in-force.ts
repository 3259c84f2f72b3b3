// The keys that a serving process goes by, from the file or made for one run: reads them at the start and follows the
// file. Nothing here takes longer with more keys but the start: a changed file is made ready in a thread of its own,
// and taking it over is one reference.

import { hashKey, type KeysFile, makeKey, SHIPPED_TIERS } from '../access/keys-file.ts';
import { KeysFileError } from '../access/keys-file-error.ts';
import { readKeysFileBytes } from '../access/read-keys.ts';
import { type KeysWatcher, watchKeysFile } from '../access/watch-keys.ts';
import { RateLimiterTable } from '../http/rate-limit.ts';
import type { FromKeysThread } from './keys-thread.ts';
import type { PostedKeys } from './messages.ts';
import { type KeysToPrepare, type PreparedKeys, prepareKeys } from './prepare-keys.ts';
import { startThread } from './thread.ts';

/** After this long a worker has heard of new keys, or was replaced for not answering. */
const SURELY_HEARD_MS = 20_000;

export interface KeysEvents {
  /** Other keys are in force. */
  readonly onChanged: (keys: PostedKeys, keyCount: number) => void;
  readonly onRefused: (error: Error) => void;
  /** A good file after one that was refused. */
  readonly onRecovered: () => void;
  /** The file's storage does not answer: until `onResumed` no change is seen. */
  readonly onStalled: (stalledMs: number) => void;
  readonly onResumed: () => void;
}

export interface FollowOptions {
  readonly intervalMs?: number;
  /** In place of a thread, for tests. */
  readonly prepare?: (data: KeysToPrepare) => Promise<PreparedKeys>;
}

export class KeysInForce {
  /** The key that was made for this run, where there is no file. */
  readonly runKey: string | undefined;
  /** What all threads count in. */
  readonly limiter: SharedArrayBuffer;
  readonly #path: string | undefined;
  readonly #digest: string;
  #keys: PreparedKeys;
  #changedMs = performance.now();
  #watcher: KeysWatcher | undefined;

  /** Without a path a key is made for this run. Throws KeysFileError. */
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

  /** Begins to follow the file, where there is one. */
  follow(events: KeysEvents, { intervalMs, prepare = prepareInThread }: FollowOptions = {}): void {
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

  /** Looks at the file now; resolves when what came of it has been told. */
  async check(): Promise<void> {
    await this.#watcher?.check();
  }

  /**
   * Ends the following, soon. False when the file's storage still has not answered: Node waits for that before it ends
   * a process, however it is told to.
   */
  async close(): Promise<boolean> {
    return (await this.#watcher?.close()) ?? true;
  }
}

function fileForRunKey(key: string): KeysFile {
  return {
    tiers: { ...SHIPPED_TIERS },
    keys: [{ id: 'this-run', name: 'this run', sha256: hashKey(key), tier: 'partner' }],
  };
}

/** Rejects with what is wrong with the file, or with what ended the thread. */
function prepareInThread(data: KeysToPrepare): Promise<PreparedKeys> {
  return new Promise((resolve, reject) => {
    const thread = startThread('keys-thread', data);
    thread.unref(); // the end of the process does not wait for it
    thread.once('message', (message: FromKeysThread) => {
      if (message.kind === 'prepared') resolve(message.keys);
      else if (message.kind === 'failed') reject(new Error(message.message));
      else reject(new KeysFileError(data.fileName, message.problems, message.problemCount));
    });
    thread.once('error', reject);
    thread.once('exit', (status) => reject(new Error(`the thread for the keys ended with status ${status}`)));
  });
}
