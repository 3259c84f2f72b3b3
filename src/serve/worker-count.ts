// How many threads answer requests: as many as there are cores, where they can share a port.

import { availableParallelism } from 'node:os';
import type { TransportKind } from '../http/transport.ts';
import { canSharePort, TransportError } from '../http/transports.ts';

const MAX_WORKERS = 256; // of --workers as well

export const ONE_WORKER =
  'one worker in place of one a core: over the transport node, threads share a port only on Linux with Node 22.12 or newer';

export function coreCount(): number {
  return Math.min(availableParallelism(), MAX_WORKERS);
}

/** `wanted` is what was asked for, if anything. Throws TransportError for more than one where they cannot share a port. */
export function countWorkers(
  wanted: number | undefined,
  transport: TransportKind,
  isShared = canSharePort(transport),
): number {
  if (wanted === undefined) return isShared ? coreCount() : 1;
  if (wanted === 1 || isShared) return wanted;
  throw new TransportError(
    `--workers is ${wanted}, and over the transport ${transport}, threads share a port only on Linux with Node 22.12 or ` +
      'newer: use --workers 1, or a Node release with a binary of uWebSockets',
  );
}
