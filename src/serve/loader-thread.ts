// The loader thread: follows the folder of snapshots, loads and verifies off every serving thread, and posts what
// it published. Started by loader.ts.

import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { SnapshotError } from '../loader/errors.ts';
import { HotSwap } from '../loader/hot-swap.ts';
import type { FromLoader, LoaderData, ToLoader } from './messages.ts';
import { collectGarbageSoon } from './thread.ts';

const LOADER_NICENESS = 10;

const { folder, maxShrinkPercent } = workerData as LoaderData;
const post = (message: FromLoader): void => parentPort?.postMessage(message);

const swap = new HotSwap(
  folder,
  {
    onLoaded: ({ generation, details, fileBytes, format }, file, tookMs) => {
      const { parts } = generation;
      const loadedAtMs = Date.now();
      post({ kind: 'loaded', generation: { parts, details, file, fileBytes, format, loadedAtMs, tookMs } });
      collectGarbageSoon();
    },
    onRefused: (error, file) => {
      const code = error instanceof SnapshotError ? error.code : 'internal';
      post({ kind: 'refused', file, code, message: error.message });
      collectGarbageSoon();
    },
    onOlder: (file, id) => post({ kind: 'older', file, id }),
    onFolder: (error) => post({ kind: 'folder', problem: error?.message }),
  },
  maxShrinkPercent,
);

parentPort?.on('message', (message: ToLoader) => {
  if (message.kind === 'stop') {
    swap.stop();
    parentPort?.close();
  } else {
    swap.scan({ judgesFresh: true, allowsShrink: message.allowsShrink });
  }
});

swap.start();
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
