// Files that are served unchanged, such as those of a web page: a table that is complete when the process
// starts. A path either is in the table or does not exist; no request reaches the file system.
//
// A table is plain data over shared memory: it can be posted to every thread, and its bytes are there once.
// They never change, so replies are sent from them without a copy.

import { createHash } from 'node:crypto';
import { type Coding, chooseCoding } from './accept-encoding.ts';
import { NO_HEADERS, NO_SNIFF, type ReplyHeader } from './reply-headers.ts';

/** A file in one content coding. */
export interface Variant {
  readonly coding: Coding;
  readonly bytes: Uint8Array;
  /** A hash of the bytes, so that it is the same on every replica. */
  readonly etag: string;
}

export interface StaticFile {
  readonly contentType: string;
  readonly headers: readonly ReplyHeader[];
  /** The one that the server prefers comes first; `identity` is always there. */
  readonly variants: readonly Variant[];
}

/** By path below the route, with a leading slash; '/' is the file for the route's own path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/** What a file of a table is made from. */
export interface StaticSource {
  /** As clients send it, percent-encoded where needed. */
  readonly path: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** `bytes` in a coding, if that makes them smaller. */
  readonly br?: Uint8Array | undefined;
  readonly gzip?: Uint8Array | undefined;
  /** Whether its content never changes, as of a file with a hash of its content in its path. */
  readonly isForever?: boolean;
}

const HASH_DIGITS = 16;
const REVALIDATED: ReplyHeader = ['Cache-Control', 'no-cache'];
const KEPT_FOREVER: ReplyHeader = ['Cache-Control', 'public, max-age=31536000, immutable'];
const VARIES: ReplyHeader = ['Vary', 'Accept-Encoding'];

/**
 * Copies the bytes. `headers` are those of every file, beside the ones that
 * each has for its caching and type.
 */
export function makeStaticFiles(
  files: Iterable<StaticSource>,
  headers: readonly ReplyHeader[] = NO_HEADERS,
): StaticFiles {
  const table = new Map<string, StaticFile>();
  for (const { path, contentType, bytes, br, gzip, isForever } of files) {
    if (!path.startsWith('/'))
      throw new Error(`the path of a static file must begin with a slash, got "${path}"`);
    if (table.has(path)) throw new Error(`two static files have the path ${path}`);
    const variants = [variantOf('br', br), variantOf('gzip', gzip), variantOf('identity', bytes)].flat();
    table.set(path, {
      contentType,
      headers: [
        isForever ? KEPT_FOREVER : REVALIDATED,
        NO_SNIFF,
        ...(variants.length > 1 ? [VARIES] : []),
        ...headers,
      ],
      variants,
    });
  }
  return table;
}

/** The variant for a client with this Accept-Encoding. */
export function variantFor({ variants }: StaticFile, acceptEncoding: string): Variant {
  const last = variants.length - 1; // identity
  if (last === 0) return variants[last];
  const coding = chooseCoding(
    acceptEncoding,
    variants.map((variant) => variant.coding),
  );
  return variants.find((variant) => variant.coding === coding) ?? variants[last];
}

/** The headers of a reply with this variant, or of a 304 that stands for it. */
export function headersOf(
  { contentType, headers }: StaticFile,
  { coding, etag }: Variant,
  isCurrent: boolean,
): readonly ReplyHeader[] {
  const tag: ReplyHeader = ['ETag', etag];
  if (isCurrent) return [...headers, tag];
  const coded: readonly ReplyHeader[] = coding === 'identity' ? [] : [['Content-Encoding', coding]];
  return [['Content-Type', contentType], ...coded, ...headers, tag];
}

function variantOf(coding: Coding, bytes: Uint8Array | undefined): readonly Variant[] {
  if (bytes === undefined) return [];
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return [{ coding, bytes: shared, etag: `"${hash}"` }];
}
