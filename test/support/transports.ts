// The transports that a suite runs against: all of them, those that this Node release has no binary for visibly skipped.

import { loadNative } from '../../src/http/native.ts';
import type { TransportKind } from '../../src/http/transport.ts';

const addon = await loadNative();

/** False, or why what is about the addon cannot run here. */
export const skipAddon: string | false =
  addon === undefined ? `the addon has no binary for Node ${process.version}` : false;

export const TRANSPORTS: readonly { readonly kind: TransportKind; readonly skip: string | false }[] = [
  { kind: 'uws', skip: skipAddon },
  { kind: 'node', skip: false },
];
