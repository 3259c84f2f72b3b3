// Loads the native HTTP addon. Its binaries cover certain Node releases and platforms only, and where there is
// none the person who starts the server should read what to do, not a stack trace.

import type * as UWebSockets from 'uWebSockets.js';

export class NativeAddonError extends Error {
  override readonly name = 'NativeAddonError';
}

// Room for the longest path with every byte escaped and a long key, so that an over-long part is told so by us.
const MAX_HEADER_BYTES = 16 * 1024;

/** Throws NativeAddonError, one line with a remedy, where the addon has no binary for this Node and platform. */
export async function loadNative(): Promise<typeof UWebSockets> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEADER_BYTES); // read by the addon once, when it loads
  try {
    return await import('uWebSockets.js');
  } catch (error) {
    const { version, platform, arch } = process;
    throw new NativeAddonError(
      `uWebSockets.js has no binary for Node ${version} on ${platform}-${arch}: use the Node release in .nvmrc, ` +
        'or replace the alias "uWebSockets.js" in package.json by the official package',
      { cause: error },
    );
  }
}
