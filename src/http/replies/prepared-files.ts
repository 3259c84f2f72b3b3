// Files made from a generation's data, such as a whole feed: too large to be written while a request waits,
// so they are made once per generation, away from the threads that answer. A swap comes before its files are
// ready; until then, those of the previous generation are served, with its id in their tags.

import type { ReplyHeader } from './reply-headers.ts';

/** Immutable, in shared memory, for as long as any reply needs it. */
export interface PreparedFile {
  readonly contentType: string;
  readonly plain: Uint8Array;
  /** `plain` in the coding gzip; undefined when that would not be smaller, as for a zip. */
  readonly gzip: Uint8Array | undefined;
  /** Contains the snapshot's id. */
  readonly etag: string;
  /** Further headers of the file, such as a checksum. */
  readonly headers: readonly ReplyHeader[];
  /** In place of `headers` with the coding gzip, where they depend on the bytes that are sent. */
  readonly gzipHeaders?: readonly ReplyHeader[];
}

/**
 * What is sent of a file, depending on whether the client accepts the coding
 * gzip: other bytes have another tag.
 */
export function sentOf(
  { plain, gzip, etag, headers, gzipHeaders = headers }: PreparedFile,
  acceptsGzip: boolean,
): { readonly bytes: Uint8Array; readonly etag: string; readonly headers: readonly ReplyHeader[] } {
  return acceptsGzip && gzip !== undefined
    ? { bytes: gzip, etag: etag.replace(/"$/, '-gzip"'), headers: gzipHeaders }
    : { bytes: plain, etag, headers };
}

/** By name, which begins with the dialect's: `osv/npm/all.zip`. */
export type PreparedFiles = ReadonlyMap<string, PreparedFile>;

/** All files of a generation. */
export interface PreparedSet {
  /** The id of the snapshot that they were made from. */
  readonly snapshot: string;
  readonly files: PreparedFiles;
}

/** What the files occupy. */
export function bytesOf(files: Iterable<PreparedFile>): number {
  let bytes = 0;
  for (const { plain, gzip } of files) bytes += plain.length + (gzip?.length ?? 0);
  return bytes;
}
