// The loader thread: watches the snapshot folder, loads and verifies away from every serving thread, and
// posts what it loaded. Started by loader.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { SnapshotError } from '../../loader/errors.ts';
import { Canary } from '../../loader/live/canary.ts';
import { HotSwap } from '../../loader/live/hot-swap.ts';
import type { FolderState } from '../../loader/live/snapshot-folder.ts';
import type { FromLoader, LoaderData, ToLoader } from '../messages.ts';
import { carryOut } from '../operations/orders/carry-out.ts';
import { lowerOwnPriority } from '../priority.ts';
import { collectGarbageSoon } from '../thread.ts';
import { AskedVersions } from './asked-versions.ts';
import { postedFolderState } from './folder-state.ts';

const BEAT_MS = 1_000;
const TAKE_MS = 1_000; // what clients look up

const { folder, beat, lookups, maxVerdictChangePercent, ...options } = workerData as LoaderData;
const canary = new Canary();
let asked = lookups === undefined ? undefined : new AskedVersions(lookups, canary);
const beats = new Int32Array(beat);
setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
const post = (message: FromLoader): void => parentPort?.postMessage(message);
const postFolder = (state: FolderState): void =>
  post({ kind: 'folder', state: postedFolderState(state, folder, options.followsSource === true) });

const swap = new HotSwap(
  folder,
  {
    onLoaded: ({ generation, packed, fileBytes, format }, file, tookMs, reason) => {
      const { parts } = generation;
      const loadedAtMs = Date.now();
      post({
        kind: 'loaded',
        generation: { parts, packed, file, fileBytes, format, loadedAtMs, tookMs },
        reason,
      });
      collectGarbageSoon();
    },
    onRefused: (error, file) => {
      const code = error instanceof SnapshotError ? error.code : 'internal';
      post({ kind: 'refused', file, code, message: error.message });
      collectGarbageSoon();
    },
    onPrepared: (id, tookMs) => {
      post({ kind: 'prepared', id, tookMs });
      collectGarbageSoon();
    },
    onChecked: (id, tookMs) => post({ kind: 'checked', id, tookMs }),
    onRetired: (id, isReplaced) => post({ kind: 'retired', id, isReplaced }),
    onOlder: (file, id) => post({ kind: 'older', file, id }),
    onFolder: (state) => postFolder(state),
    onRollBack: (rollBack) => post({ kind: 'roll-back', rollBack }),
    onGuarded: (guarded) => post({ kind: 'guarded', guarded }),
    onListed: (snapshots) => post({ kind: 'listed', snapshots }),
    onMarker: (file, problem) => post({ kind: 'marker', file, problem }),
  },
  { ...options, findChanged: (live, next) => canary.findChanged(live, next, maxVerdictChangePercent) },
);

parentPort?.on('message', (message: ToLoader) => {
  switch (message.kind) {
    case 'scan':
      swap.scan({ includeFresh: true });
      break;
    case 'lookups':
      asked = new AskedVersions(message.lookups, canary);
      break;
    case 'order':
      post({ kind: 'ordered', number: message.number, result: carryOut(message.order, swap, folder) });
      break;
    case 'stop':
      swap.stop();
      parentPort?.close();
      break;
  }
});

swap.start();
if (maxVerdictChangePercent < 100) setInterval(() => asked?.take(swap.current()), TAKE_MS).unref();
// Not only on changes: the folder may have come back between the previous thread
// and the first scan of this one.
postFolder(swap.folderState());
post({ kind: 'scanned' });
try {
  lowerOwnPriority(); // from now on requests come before loading
} catch (error) {
  post({ kind: 'priority-kept', reason: (error as Error).message });
}
