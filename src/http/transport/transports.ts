// Chooses the transport: the addon if it loads, else Node's own http; or the one that the operator asked for.

import { findNative } from './native.ts';
import { NodeTransport } from './node.ts';
import type { Transport, TransportKind, TransportOptions } from './transport.ts';
import { UwsTransport } from './uws.ts';

const TRANSPORT_SETTINGS = ['auto', 'uws', 'node'] as const;
export type TransportSetting = (typeof TRANSPORT_SETTINGS)[number];

/** The requested transport is not available; the message says why and what to do. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
}

interface TransportChoice {
  readonly kind: TransportKind;
  /** Why the addon was not chosen; undefined if it was, or if the operator asked for `node`. */
  readonly reason: string | undefined;
}

/** The transport to use. Throws TransportError if the addon is asked for and does not load. */
export async function pickTransport(setting: TransportSetting, find = findNative): Promise<TransportChoice> {
  if (setting === 'node') return { kind: 'node', reason: undefined };
  const search = await find();
  if (search.kind === 'found') return { kind: 'uws', reason: undefined };
  if (setting === 'auto') return { kind: 'node', reason: search.reason };
  throw new TransportError(describeMissing(search.reason));
}

/** Whether several threads can listen on the same port over it. */
export function canSharePort(
  kind: TransportKind,
  { node }: { readonly node: string } = process.versions,
  platform: string = process.platform,
): boolean {
  if (kind === 'uws') return true;
  const [major, minor] = node.split('.').map(Number);
  // `reusePort` came with 22.12 and 23.1. On macOS the kernel would give every connection to the same thread.
  const hasOption = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
  return hasOption && (platform === 'linux' || platform === 'freebsd');
}

/** A transport that does not listen yet. Throws TransportError if the addon does not load. */
export async function createTransport(kind: TransportKind, options: TransportOptions): Promise<Transport> {
  if (kind === 'node') return new NodeTransport(options);
  const search = await findNative();
  if (search.kind === 'missing') throw new TransportError(describeMissing(search.reason));
  return new UwsTransport(search.native, options);
}

function describeMissing(reason: string): string {
  return (
    `cannot serve over uWebSockets: ${reason}: use --transport node, or a Node release that it has a binary for, ` +
    'or install a newer build under the name uWebSockets.js'
  );
}
