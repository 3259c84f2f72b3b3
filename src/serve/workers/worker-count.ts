// How many threads answer requests: one per core if they can share a port, else one.

import { availableParallelism } from 'node:os';
import type { TransportKind } from '../../http/transport/transport.ts';
import { canSharePort, TransportError } from '../../http/transport/transports.ts';

const MAX_WORKERS = 256; // the limit of --workers too

export const ONE_WORKER =
  'one worker instead of one per core: over the transport node, threads share a port only on Linux with Node 22.12 or newer';

export function coreCount(): number {
  return Math.min(availableParallelism(), MAX_WORKERS);
}

/**
 * `wanted` is the value of --workers, if given. Throws TransportError if it is above 1
 * and threads cannot share a port.
 */
export function countWorkers(
  wanted: number | undefined,
  transport: TransportKind,
  isShared = canSharePort(transport),
): number {
  if (wanted === undefined) return isShared ? coreCount() : 1;
  if (wanted === 1 || isShared) return wanted;
  throw new TransportError(
    `--workers is ${wanted}, but over the transport ${transport}, threads share a port only on Linux with Node 22.12 or ` +
      'newer: use --workers 1, or a Node release that uWebSockets has a binary for',
  );
}
