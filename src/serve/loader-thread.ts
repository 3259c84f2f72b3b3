// The loader thread: follows the folder of snapshots, loads and verifies off every serving thread, and posts what
// it published. Started by loader.ts.

import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { SnapshotError } from '../loader/errors.ts';
import { HotSwap } from '../loader/hot-swap.ts';
import type { FolderState } from '../loader/snapshot-folder.ts';
import type { FromLoader, LoaderData, PostedFolderState, ToLoader } from './messages.ts';
import { collectGarbageSoon } from './thread.ts';

const LOADER_NICENESS = 10;

const { folder, ...options } = workerData as LoaderData;
const post = (message: FromLoader): void => parentPort?.postMessage(message);

const swap = new HotSwap(
  folder,
  {
    onLoaded: ({ generation, details, fileBytes, format }, file, tookMs, reason) => {
      const { parts } = generation;
      const loadedAtMs = Date.now();
      post({
        kind: 'loaded',
        generation: { parts, details, file, fileBytes, format, loadedAtMs, tookMs },
        reason,
      });
      collectGarbageSoon();
    },
    onRefused: (error, file) => {
      const code = error instanceof SnapshotError ? error.code : 'internal';
      post({ kind: 'refused', file, code, message: error.message });
      collectGarbageSoon();
    },
    onOlder: (file, id) => post({ kind: 'older', file, id }),
    onFolder: (state) => post({ kind: 'folder', state: postedFolderState(state) }),
    onRollBack: (rollBack) => post({ kind: 'roll-back', rollBack }),
    onMarker: (file, problem) => post({ kind: 'marker', file, problem }),
  },
  options,
);

parentPort?.on('message', (message: ToLoader) => {
  switch (message.kind) {
    case 'scan':
      swap.scan({ includeFresh: true });
      break;
    case 'stop':
      swap.stop();
      parentPort?.close();
      break;
    case 'fail':
      throw new Error('told to fail');
  }
});

swap.start();
// Not every change: the folder may have come back between the thread before this one and the first look.
post({ kind: 'folder', state: postedFolderState(swap.folderState()) });
post({ kind: 'scanned' });
lowerPriority();

/**
 * From now on loading can wait, and requests cannot. This thread alone: on Linux a priority belongs to a thread. A
 * filter of system calls may forbid it, and nobody but root may raise a priority, as it would be from a lower one.
 */
function lowerPriority(): void {
  try {
    if (getPriority() < LOADER_NICENESS) setPriority(LOADER_NICENESS);
  } catch (error) {
    post({ kind: 'priority-kept', reason: (error as Error).message });
  }
}

/** As it travels between threads: an error keeps only what is told of it. */
function postedFolderState(state: FolderState): PostedFolderState {
  if (state.kind !== 'unreadable') return state;
  const { message } = state.error;
  return { kind: 'unreadable', reason: (state.error as NodeJS.ErrnoException).code ?? 'an error', message };
}
