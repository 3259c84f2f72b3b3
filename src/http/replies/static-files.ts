// Files that are served unchanged, such as those of a web page: a table that is complete when the process starts.
// A path either is in the table or does not exist; no request reaches the file system.

import { createHash } from 'node:crypto';

export interface StaticFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A hash of the bytes, so that it is the same on every replica. */
  readonly etag: string;
}

/** By path below the route, with a leading slash; '/' is the file for the route's own path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const HASH_DIGITS = 16;

/** Copies the bytes. Requires: paths as clients send them, percent-encoded where needed. */
export function makeStaticFiles(
  files: Iterable<{ readonly path: string; readonly contentType: string; readonly bytes: Uint8Array }>,
): StaticFiles {
  const table = new Map<string, StaticFile>();
  for (const { path, contentType, bytes } of files) {
    if (!path.startsWith('/'))
      throw new Error(`the path of a static file must begin with a slash, got "${path}"`);
    if (table.has(path)) throw new Error(`two static files have the path ${path}`);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
    table.set(path, { contentType, bytes: Uint8Array.from(bytes), etag: `"${hash}"` });
  }
  return table;
}
