// Bytes held for a slow reader, in memory that goes back to the system when freed. malloc keeps most of what
// is freed: after clients that read nothing were dropped, the process kept 690 MB of 780.

/** The part of resizable buffers used here, which the configured ECMAScript types lack. */
const ResizableBuffer = ArrayBuffer as unknown as new (
  length: number,
  options: { readonly maxByteLength: number },
) => ArrayBuffer;

// A resizable buffer is a mapping of its own, and a process may have about 65,000 of
// those: too few for small bodies.
const MAPPED_BYTES = 256 * 1024;

/** A copy of the bytes from `start` on. */
export function holdBytes(bytes: Uint8Array, start: number): Uint8Array {
  const length = bytes.length - start;
  if (length < MAPPED_BYTES) return bytes.slice(start);
  const held = new Uint8Array(new ResizableBuffer(length, { maxByteLength: length }));
  held.set(bytes.subarray(start));
  return held;
}
