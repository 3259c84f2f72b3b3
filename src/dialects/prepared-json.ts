// Makes a prepared file of JSON: written straight into shared memory, then compressed. So its bytes exist
// once, its texts never all at once as strings, and the same data gives the same bytes on every replica.

import { gzipSync } from 'node:zlib';
import type { PreparedFile } from '../http/replies/prepared-files.ts';
import { ByteWriter } from '../index/memory/byte-writer.ts';

const LEAST_BYTES = 4096;
const MAX_BYTES = 2 ** 32 - 1;

/** `expectedBytes` is an estimate; memory that is never written costs nothing. */
export function prepareJson(
  etag: string,
  expectedBytes: number,
  write: (out: ByteWriter) => void,
): PreparedFile {
  const out = new ByteWriter(shared, Math.max(LEAST_BYTES, expectedBytes), MAX_BYTES);
  write(out);
  const plain = out.view();
  // The header that zlib writes has no time and no name.
  const compressed = gzipSync(plain);
  const gzip = shared(compressed.length);
  gzip.set(compressed);
  return { contentType: 'application/json', plain, gzip, etag, headers: [] };
}

function shared(bytes: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(bytes));
}
