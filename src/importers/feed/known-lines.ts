// Which lines the previous snapshot was compiled from. A line that it had, byte for byte, need not be parsed,
// checked or packed again. In shared memory, so that any thread can ask.

import { NO_ORIGIN, type Origin, type Origins } from '../../compiler/packed-advisory.ts';
import { sha256 } from '../sha256.ts';

/** Raise it with any change to what a line means: then no line is known from earlier snapshots. */
const REVISION = 1;
const EMPTY = 0;

export interface KnownLines {
  /** In shared memory. */
  readonly origins: Origins;
  /** A hash table: ordinals plus one, or EMPTY. */
  readonly slots: Uint32Array;
}

/**
 * The first 64 bits of SHA-256. With a million lines before and a million new ones, the chance that any new
 * one looks like an old one is 5 in 10^8.
 */
export function lineOrigin(line: Uint8Array): Origin {
  const digest = sha256(line);
  return [(littleEndian(digest, 0) ^ REVISION) >>> 0, littleEndian(digest, 8)];
}

/** The four bytes of which eight hex digits begin there. */
function littleEndian(hex: string, at: number): number {
  const number = Number.parseInt(hex.slice(at, at + 8), 16);
  const swapped = (number << 24) | ((number & 0xff00) << 8) | ((number >>> 8) & 0xff00) | (number >>> 24);
  return swapped >>> 0;
}

export function indexLines(origins: Origins): KnownLines {
  const count = origins.low.length;
  const slotCount = 2 ** Math.ceil(Math.log2(2 * count + 2));
  const slots = new Uint32Array(new SharedArrayBuffer(slotCount * 4));
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const low = origins.low[ordinal];
    if (low === NO_ORIGIN[1] && origins.high[ordinal] === NO_ORIGIN[0]) continue;
    let slot = low & (slotCount - 1);
    while (slots[slot] !== EMPTY) slot = (slot + 1) & (slotCount - 1);
    slots[slot] = ordinal + 1;
  }
  return { origins, slots };
}

/** The ordinal of the advisory that was compiled from such a line, or undefined. */
export function findLine({ origins, slots }: KnownLines, [high, low]: Origin): number | undefined {
  const mask = slots.length - 1;
  for (let slot = low & mask; slots[slot] !== EMPTY; slot = (slot + 1) & mask) {
    const ordinal = slots[slot] - 1;
    if (origins.low[ordinal] === low && origins.high[ordinal] === high) return ordinal;
  }
  return undefined;
}
