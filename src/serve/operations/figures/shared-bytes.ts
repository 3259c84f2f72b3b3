// How much shared memory is behind values that are posted between threads.

/**
 * The bytes of all shared memory that is reachable from the values, each memory once. Requires: plain data,
 * as posted; what is behind a Map or a Set is not found.
 */
export function sharedBytesOf(...values: readonly unknown[]): number {
  const seen = new Set<object>();
  let bytes = 0;
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof SharedArrayBuffer) bytes += value.byteLength;
    else if (ArrayBuffer.isView(value)) visit(value.buffer);
    else for (const each of Object.values(value)) visit(each);
  };
  for (const value of values) visit(value);
  return bytes;
}

/** Remembers the count of the last values, and counts again only when others are asked about. */
export class SharedBytes {
  #values: readonly unknown[] = [];
  #bytes = 0;

  of(...values: readonly unknown[]): number {
    const isSame =
      values.length === this.#values.length && values.every((value, i) => value === this.#values[i]);
    if (!isSame) this.#bytes = sharedBytesOf(...values);
    this.#values = values;
    return this.#bytes;
  }
}
