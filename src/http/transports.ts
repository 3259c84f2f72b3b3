// Which transport runs: the addon where it loads, else Node's own http; or the one that was asked for.

import { loadNative } from './native.ts';
import { NodeTransport } from './node.ts';
import type { Transport, TransportKind, TransportOptions } from './transport.ts';
import { UwsTransport } from './uws.ts';

export const TRANSPORT_WISHES = ['auto', 'uws', 'node'] as const;
export type TransportWish = (typeof TRANSPORT_WISHES)[number];

/** The transport that was asked for cannot serve; the message says why and what to do. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
}

/** The transport to use. Throws TransportError where the addon is asked for and does not load. */
export async function pickTransport(wish: TransportWish): Promise<TransportKind> {
  if (wish === 'node') return 'node';
  if ((await loadNative()) !== undefined) return 'uws';
  if (wish === 'auto') return 'node';
  throw new TransportError(noAddon());
}

/** Whether several threads can listen on one port over it. */
export function canSharePort(
  kind: TransportKind,
  { node }: { readonly node: string } = process.versions,
  platform: string = process.platform,
): boolean {
  if (kind === 'uws') return true;
  const [major, minor] = node.split('.').map(Number);
  // `reusePort` came with 22.12 and 23.1; on macOS the kernel would give every connection to one of the threads.
  const hasOption = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
  return hasOption && (platform === 'linux' || platform === 'freebsd');
}

/** A transport that does not listen yet. Throws TransportError where the addon does not load. */
export async function createTransport(kind: TransportKind, options: TransportOptions): Promise<Transport> {
  if (kind === 'node') return new NodeTransport(options);
  const addon = await loadNative();
  if (addon === undefined) throw new TransportError(noAddon());
  return new UwsTransport(addon.native, options);
}

function noAddon(): string {
  const { version, platform, arch } = process;
  return (
    `the uWebSockets addon has no binary for Node ${version} on ${platform}-${arch}: use --transport node, or a Node ` +
    'release that it has one for, or install a newer build under the name uWebSockets.js'
  );
}
