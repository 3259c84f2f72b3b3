// The transports that a suite runs against. The addon is reported as skipped on Node releases that it has no
// binary for.

import { findNative } from '../../../src/http/transport/native.ts';
import type { TransportKind } from '../../../src/http/transport/transport.ts';
import { isFull } from '../volume.ts';

const search = await findNative();

/** False, or why tests of the addon cannot run here. */
export const skipAddon: string | false =
  search.kind === 'missing' ? `Node ${process.version}: ${search.reason}` : false;

export const TRANSPORTS: readonly { readonly kind: TransportKind; readonly skip: string | false }[] = [
  { kind: 'uws', skip: skipAddon },
  { kind: 'node', skip: false },
];

/** Where the transport is not the point: the one that a server would choose here; at full volume all. */
export const USUAL_TRANSPORTS = isFull
  ? TRANSPORTS
  : TRANSPORTS.filter(({ skip }) => skip === false).slice(0, 1);
