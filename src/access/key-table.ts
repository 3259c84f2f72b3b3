// One keys file as a table in shared memory, so that all threads read one copy and a change is one posted
// reference. Owns the layout. The caller assigns limiter rows; what a tier means for a request is up to the
// server.
//
//   | 4 counts | expiries: f64 per key | digests: 8 words per key | tiers: 1 word per key | slots: 1 word per row
//   | id starts: 1 word per row, and the end | buckets: 1 word each | ids: UTF-8 |
//
// The rows are the keys in file order, then ids from earlier files whose limiter rows are not free yet. A
// bucket holds row + 1, or 0; a key is in the first bucket that was free, starting at its digest's first
// word.

import type { KeysFile, Tier } from './keys-file.ts';
import { expiresAtMs } from './keys-file.ts';

/** Plain data that can be posted to another thread, which then reads the same bytes. */
export interface KeyTable {
  readonly tiers: readonly (readonly [name: string, tier: Tier])[];
  readonly memory: SharedArrayBuffer;
}

/** The tier index of a disabled key. */
export const NO_TIER = 0xffff_ffff;

const HEADER_BYTES = 16; // four counts of four bytes
const DIGEST_WORDS = 8;
const WORD_BYTES = 4;
const BUCKETS_PER_KEY = 2; // at least: with half of the buckets free, a search ends quickly

interface Counts {
  readonly keys: number;
  readonly rows: number;
  readonly buckets: number;
  readonly idBytes: number;
}

/** The parts of the memory, for the writer and the readers. */
function partsOf(memory: SharedArrayBuffer, { keys, rows, buckets, idBytes }: Counts) {
  let at = HEADER_BYTES;
  const words = (count: number): Uint32Array => {
    const part = new Uint32Array(memory, at, count);
    at += count * WORD_BYTES;
    return part;
  };
  const expiries = new Float64Array(memory, at, keys);
  at += expiries.byteLength;
  return {
    expiries,
    digests: words(keys * DIGEST_WORDS),
    tiers: words(keys),
    slots: words(rows),
    idStarts: words(rows + 1),
    buckets: words(buckets),
    ids: new Uint8Array(memory, at, idBytes),
  };
}

function sizeOf({ keys, rows, buckets, idBytes }: Counts): number {
  const words = keys * DIGEST_WORDS + keys + rows + rows + 1 + buckets;
  return HEADER_BYTES + keys * Float64Array.BYTES_PER_ELEMENT + words * WORD_BYTES + idBytes;
}

/**
 * Requires: a file from `parseKeysFile`. `slots` are its keys' limiter rows by id; without them a key's row
 * is its position in the file, which only works for a table that is never replaced. `retired` are other ids
 * whose rows are taken.
 */
export function buildKeyTable(
  file: KeysFile,
  slots?: ReadonlyMap<string, number>,
  retired: ReadonlyMap<string, number> = new Map(),
): KeyTable {
  const tiers = Object.entries(file.tiers);
  const tierIndexes = new Map(tiers.map(([name], index) => [name, index]));
  const keys = file.keys.length;
  let buckets = 16;
  while (buckets < keys * BUCKETS_PER_KEY) buckets *= 2;
  const ids = [...file.keys.map(({ id }) => id), ...retired.keys()];
  const idBytes = ids.reduce((sum, id) => sum + Buffer.byteLength(id), 0);
  const counts = { keys, rows: ids.length, buckets, idBytes };
  const memory = new SharedArrayBuffer(sizeOf(counts));
  new Uint32Array(memory, 0, 4).set([counts.keys, counts.rows, counts.buckets, counts.idBytes]);
  const parts = partsOf(memory, counts);
  for (const [row, key] of file.keys.entries()) {
    const digest = parts.digests.subarray(row * DIGEST_WORDS, (row + 1) * DIGEST_WORDS);
    for (let i = 0; i < DIGEST_WORDS; i++)
      digest[i] = Number.parseInt(key.sha256.slice(i * 8, i * 8 + 8), 16);
    parts.expiries[row] = expiresAtMs(key);
    const slot = slots === undefined ? row : slots.get(key.id);
    if (slot === undefined)
      throw new Error(`the slots belong to another file: there is none for the key "${key.id}"`);
    parts.slots[row] = slot;
    const tier = tierIndexes.get(key.tier);
    const isFound = key.disabled !== true && tier !== undefined;
    parts.tiers[row] = isFound ? tier : NO_TIER;
    if (!isFound) continue;
    let bucket = digest[0] & (buckets - 1);
    while (parts.buckets[bucket] !== 0) bucket = (bucket + 1) & (buckets - 1);
    parts.buckets[bucket] = row + 1;
  }
  parts.slots.set([...retired.values()], keys);
  const text = Buffer.from(memory, parts.ids.byteOffset, idBytes);
  let end = 0;
  for (const [row, id] of ids.entries()) {
    end += text.write(id, end);
    parts.idStarts[row + 1] = end;
  }
  return { tiers, memory };
}

/** The reading side, in any thread. Creating one costs the same for any number of keys. */
export class KeyTableView {
  readonly keyCount: number;
  readonly #rowCount: number;
  readonly #parts: ReturnType<typeof partsOf>;

  constructor({ memory }: KeyTable) {
    const [keys, rows, buckets, idBytes] = new Uint32Array(memory, 0, 4);
    this.keyCount = keys;
    this.#rowCount = rows;
    this.#parts = partsOf(memory, { keys, rows, buckets, idBytes });
  }

  /**
   * The row of the key with this SHA-256, as 32 one-byte characters, or undefined. Disabled keys are not
   * found.
   */
  find(sha256: string): number | undefined {
    const { buckets, digests } = this.#parts;
    const mask = buckets.length - 1;
    const first = wordAt(sha256, 0);
    for (let bucket = first & mask; buckets[bucket] !== 0; bucket = (bucket + 1) & mask) {
      const row = buckets[bucket] - 1;
      let differing = 0;
      for (let i = 0; i < DIGEST_WORDS; i++) differing |= digests[row * DIGEST_WORDS + i] ^ wordAt(sha256, i);
      if (differing === 0) return row;
    }
    return undefined;
  }

  /** The first millisecond at which the key no longer works. */
  expiresAtMs(row: number): number {
    return this.#parts.expiries[row];
  }

  /** An index into the table's `tiers`, or NO_TIER. */
  tierIndex(row: number): number {
    return this.#parts.tiers[row];
  }

  /** The key's row in the limiter. */
  slot(row: number): number {
    return this.#parts.slots[row];
  }

  id(row: number): string {
    const { ids, idStarts } = this.#parts;
    return Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString(
      'utf8',
      idStarts[row],
      idStarts[row + 1],
    );
  }

  /** The limiter rows in use, by id: those of the file's keys, and optionally of retired ids. */
  takenSlots(withRetired: boolean): ReadonlyMap<string, number> {
    const taken = new Map<string, number>();
    const end = withRetired ? this.#rowCount : this.keyCount;
    for (let row = 0; row < end; row++) taken.set(this.id(row), this.slot(row));
    return taken;
  }
}

function wordAt(sha256: string, index: number): number {
  const at = index * 4;
  return (
    (sha256.charCodeAt(at) << 24) |
    (sha256.charCodeAt(at + 1) << 16) |
    (sha256.charCodeAt(at + 2) << 8) |
    sha256.charCodeAt(at + 3)
  );
}
