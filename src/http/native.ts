// Loads the uWebSockets addon: from the first package of a list that has a binary for
// this Node release and platform.

import type * as UWebSockets from 'uWebSockets.js';
import { MAX_HEADER_BYTES } from './transport.ts';

export type Native = typeof UWebSockets;

/**
 * The official name first, which package.json gives to a package with more binaries;
 * that package's own name second.
 */
export const ADDONS: readonly string[] = ['uWebSockets.js', 'uws-pack'];

export type AddonSearch =
  | { readonly kind: 'found'; readonly native: Native; readonly name: string }
  /** `reason` says what was wrong with each package. */
  | { readonly kind: 'missing'; readonly reason: string };

type Import = (name: string) => Promise<unknown>;

/**
 * Tries the packages in turn. Never throws: whatever a package throws while it loads goes into the reason.
 */
export async function findNative(
  names: readonly string[] = ADDONS,
  load: Import = (name) => import(name),
): Promise<AddonSearch> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEADER_BYTES); // read by the addon once, when it loads
  const reasons: string[] = [];
  for (const name of names) {
    try {
      const native = nativeOf(await load(name));
      if (native !== undefined) return { kind: 'found', native, name };
      reasons.push(`${name} does not export App`);
    } catch (error) {
      reasons.push(
        isAbsent(error) ? `${name} is not installed` : `${name} does not load: ${firstLine(error)}`,
      );
    }
  }
  return { kind: 'missing', reason: reasons.join('; ') };
}

/**
 * An ES module exports the addon's functions by name; CommonJS, like the official
 * package, as the default export.
 */
function nativeOf(module: unknown): Native | undefined {
  const { App, default: inner } = module as { readonly App?: unknown; readonly default?: Partial<Native> };
  if (typeof App === 'function') return module as Native; // App is the function that identifies the addon
  return typeof inner?.App === 'function' ? (inner as Native) : undefined;
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND';
}

/** The official package lists every supported release in its message, over several lines. */
function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .trim()
    .split('\n')[0];
}
