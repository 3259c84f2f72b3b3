// Loads the native HTTP addon, from the first package of a list that has a binary for this Node release and platform.

import type * as UWebSockets from 'uws-pack';
import { MAX_HEADER_BYTES } from './transport.ts';

export type Native = typeof UWebSockets;

/** The official name first: whoever installs a newer build beside us under it is served by that one. */
export const ADDONS: readonly string[] = ['uWebSockets.js', 'uws-pack'];

export interface LoadedAddon {
  readonly native: Native;
  /** The name that it was found under. */
  readonly name: string;
}

type Import = (name: string) => Promise<unknown>;

/** The addon, or undefined where none of the list has a binary for this Node release and platform. */
export async function loadNative(
  names: readonly string[] = ADDONS,
  load: Import = (name) => import(name),
): Promise<LoadedAddon | undefined> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEADER_BYTES); // read by the addon once, when it loads
  for (const name of names) {
    try {
      const native = nativeOf(await load(name));
      if (native !== undefined) return { native, name };
    } catch {
      // Not installed, or without a binary: each package says so in words of its own.
    }
  }
  return undefined;
}

/** A package of modules exports it by name, one of CommonJS, as the official one is, as its default. */
function nativeOf(module: unknown): Native | undefined {
  const { App, default: inner } = module as { readonly App?: unknown; readonly default?: Partial<Native> };
  if (typeof App === 'function') return module as Native; // App is what it is known by
  return typeof inner?.App === 'function' ? (inner as Native) : undefined;
}
