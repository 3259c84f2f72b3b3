// The thread that follows the source of snapshots, so that a slow store holds up neither a load nor an order.
// Started by source.ts.

import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Follower } from '../../fleet/follow.ts';
import { parseManifest } from '../../fleet/manifest.ts';
import { verifyManifest } from '../../fleet/manifest-signature.ts';
import { parsePublicKey } from '../../fleet/minisign.ts';
import { openSource } from '../../fleet/open-source.ts';
import { SnapshotError } from '../../loader/errors.ts';
import { parseRollBack, ROLL_BACK_FILE, readMarker } from '../../loader/live/markers.ts';
import { readSnapshotHeader } from '../../loader/snapshot/reader.ts';
import type { FromSource, SourceData, ToSource } from './source-messages.ts';

/** Between two reports about one snapshot. */
const REPORTED_BYTES = 4 << 20;

const data = workerData as SourceData;
const { folder } = data;
const post = (message: FromSource): void => parentPort?.postMessage(message);
const keys = data.keys.map(parsePublicKey);
let unreported = 0;
let bytes = 0;

const follower = new Follower({
  source: openSource(data),
  folder,
  reading: {
    parse: parseManifest,
    verify:
      keys.length === 0
        ? undefined
        : (text, signature) => void verifyManifest(keys, Buffer.from(text), signature),
  },
  intervalMs: data.intervalMs,
  maxSnapshotBytes: data.maxSnapshotBytes,
  version: data.version,
  isOrdered,
  readId,
  nowMs: Date.now,
  random: Math.random,
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  onPolled: (poll) => {
    report();
    post({ kind: 'polled', ...poll });
  },
  onProblem: (problem) => post({ kind: 'problem', problem }),
  onManifest: (manifest) => post({ kind: 'manifest', manifest }),
  onBytes: (soFar, added) => {
    bytes = soFar;
    unreported += added;
    if (unreported >= REPORTED_BYTES) report();
  },
  onFetched: (manifest) => {
    report();
    post({ kind: 'fetched', manifest });
  },
  onClock: (aheadMs) => post({ kind: 'clock', aheadMs }),
  onForgotten: (problem) => post({ kind: 'forgotten', problem }),
});

parentPort?.on('message', (message: ToSource) => {
  if (message.kind === 'suspect') follower.suspect(message.file);
  else void follower.stop().then(() => parentPort?.close());
});
follower.start();

function report(): void {
  if (unreported > 0) post({ kind: 'bytes', bytes, added: unreported });
  unreported = 0;
}

/** Undefined for a header with a fault, which the loader names. */
function readId(path: string): string | undefined {
  try {
    return readSnapshotHeader(path).id;
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** Whether the operator has rolled back to this file. */
function isOrdered(file: string): boolean {
  try {
    return parseRollBack(readMarker(join(folder, ROLL_BACK_FILE))).file === file;
  } catch {
    return false; // no order, or none that can be followed
  }
}
