// Bytes that wait for a slow reader, in memory that the system gets back when they are let go. What malloc frees it
// mostly keeps: after clients that read nothing had been dropped, 690 MB of 780 stayed with the process.

/** What is used of resizable buffers, which the ECMAScript library's types leave out. */
const ResizableBuffer = ArrayBuffer as unknown as new (
  length: number,
  options: { readonly maxByteLength: number },
) => ArrayBuffer;

// A resizable buffer is a mapping of its own, and a process may have some 65,000 of those: not for small things.
const MAPPED_BYTES = 256 * 1024;

/** A copy of the bytes from `start` on. */
export function holdBytes(bytes: Uint8Array, start: number): Uint8Array {
  const length = bytes.length - start;
  if (length < MAPPED_BYTES) return bytes.slice(start);
  const held = new Uint8Array(new ResizableBuffer(length, { maxByteLength: length }));
  held.set(bytes.subarray(start));
  return held;
}
