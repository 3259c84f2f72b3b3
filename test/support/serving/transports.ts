// The transports that a suite runs against. The addon is reported as skipped on Node releases that it has no binary for.

import { findNative } from '../../../src/http/native.ts';
import type { TransportKind } from '../../../src/http/transport.ts';

const search = await findNative();

/** False, or why tests of the addon cannot run here. */
export const skipAddon: string | false =
  search.kind === 'missing' ? `Node ${process.version}: ${search.reason}` : false;

export const TRANSPORTS: readonly { readonly kind: TransportKind; readonly skip: string | false }[] = [
  { kind: 'uws', skip: skipAddon },
  { kind: 'node', skip: false },
];
