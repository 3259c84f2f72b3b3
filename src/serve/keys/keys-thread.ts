// A thread for one keys file: prepares it, posts the outcome and ends, which frees the memory it needed.
// Started by keys-in-force.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { KeysFileError } from '../../access/read-keys.ts';
import { lowerOwnPriority } from '../priority.ts';
import { type KeysToPrepare, type PreparedKeys, prepareKeys } from './prepare-keys.ts';

export type FromKeysThread =
  | { readonly kind: 'prepared'; readonly keys: PreparedKeys }
  /** The first of the file's problems, and how many it has. */
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly problemCount: number }
  /** Not the file's fault alone: its keys do not fit. */
  | { readonly kind: 'failed'; readonly message: string };

const MOST_PROBLEMS = 100; // a file can have one for each of its keys

try {
  lowerOwnPriority();
} catch {
  // Not allowed here: requests and this thread then share the cores equally. The loader says so in the log.
}
parentPort?.postMessage(outcome(workerData as KeysToPrepare));

function outcome(data: KeysToPrepare): FromKeysThread {
  try {
    return { kind: 'prepared', keys: prepareKeys(data) };
  } catch (error) {
    if (!(error instanceof KeysFileError)) return { kind: 'failed', message: (error as Error).message };
    const { problems } = error;
    return { kind: 'refused', problems: problems.slice(0, MOST_PROBLEMS), problemCount: problems.length };
  }
}
