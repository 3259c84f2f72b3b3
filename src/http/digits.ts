// Whole numbers from 0 to 2^32 - 1 as digits in bytes: what is written so needs no text first.

const ZERO = 0x30;

export function isWord(value: number): boolean {
  return value >>> 0 === value;
}

/** Requires: a word. */
export function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  return digits;
}

/** Writes a word as digits. Returns where they end. */
export function putNumber(bytes: Uint8Array, at: number, value: number): number {
  const end = at + digitsOf(value);
  let rest = value;
  for (let i = end - 1; i >= at; i--) {
    const higher = (rest / 10) >>> 0;
    bytes[i] = ZERO + rest - higher * 10;
    rest = higher;
  }
  return end;
}
