// What a stored entry of a source was converted to, as bytes: so it travels between threads, and so it is
// kept for the next run. All that is left out is the place, which is that of the entry.
//
//   headBytes 4 | head: JSON | rows of drafts and bytes of rejects, one after another
//
// The head has their lengths, and entries that name them by number: rejects of one entry share its bytes.

import type { PackedDraft, PackedSourceEntry } from '../packed-draft.ts';
import type { Place } from '../source.ts';

/** Entries of one conversion, in order. Their place is that of what was converted. */
type Converted = readonly PackedSourceEntry[];

type Draft = Omit<PackedDraft, 'row'>;

type Head = readonly [lengths: readonly number[], ...entries: readonly HeadEntry[]];

type HeadEntry =
  | {
      readonly kind: 'packed';
      readonly row: number;
      readonly draft: Draft;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'skipped'; readonly reason: string }
  | {
      readonly kind: 'reject';
      readonly bytes: number;
      readonly problems: PackedDraft['problems'];
    };

const HEAD_BYTES = 4;

/** A conversion that has not been written yet. */
export class Conversion {
  readonly #head: string;
  readonly #headBytes: number;
  readonly #parts: readonly Uint8Array[];
  readonly byteLength: number;

  constructor(entries: Converted) {
    const numbers = new Map<Uint8Array, number>();
    const numberOf = (part: Uint8Array): number => {
      const number = numbers.get(part) ?? numbers.size;
      numbers.set(part, number);
      return number;
    };
    const head = entries.map((entry): HeadEntry => {
      if (entry.kind === 'skipped') return { kind: 'skipped', reason: entry.reason };
      if (entry.kind === 'reject') {
        const { bytes, problems } = entry.reject;
        return { kind: 'reject', bytes: numberOf(bytes), problems };
      }
      const { row, ...draft } = entry.draft;
      return { kind: 'packed', row: numberOf(row), draft, warnings: entry.warnings };
    });
    this.#parts = [...numbers.keys()];
    this.#head = JSON.stringify([this.#parts.map(({ length }) => length), ...head]);
    this.#headBytes = Buffer.byteLength(this.#head);
    this.byteLength = this.#parts.reduce((sum, { length }) => sum + length, HEAD_BYTES + this.#headBytes);
  }

  bytes(): Uint8Array {
    const bytes = Buffer.allocUnsafe(this.byteLength);
    this.writeTo(bytes, 0);
    return bytes;
  }

  /** Requires: room for `byteLength`. */
  writeTo(target: Buffer, offset: number): void {
    let at = target.writeUInt32LE(this.#headBytes, offset);
    at += target.write(this.#head, at);
    for (const part of this.#parts) {
      target.set(part, at);
      at += part.length;
    }
  }
}

/**
 * The entries of a conversion; their rows and bytes are views of it. Requires: what `writeTo` has written.
 */
export function entriesOf(conversion: Uint8Array, place: Place): Converted {
  const bytes = Buffer.from(conversion.buffer, conversion.byteOffset, conversion.byteLength);
  let at = HEAD_BYTES + bytes.readUInt32LE(0);
  const [lengths, ...entries] = JSON.parse(bytes.toString('utf8', HEAD_BYTES, at)) as Head;
  const parts = lengths.map((length) => {
    at += length;
    return conversion.subarray(at - length, at);
  });
  return entries.map((entry): PackedSourceEntry => {
    if (entry.kind === 'skipped') return { ...entry, place };
    if (entry.kind === 'reject') {
      return { kind: 'reject', reject: { place, bytes: parts[entry.bytes], problems: entry.problems } };
    }
    const { row, draft, warnings } = entry;
    // JSON has no undefined: a draft with problems has no keys, and most have no numbers of their own.
    return {
      kind: 'packed',
      draft: { row: parts[row], problems: draft.problems, keys: draft.keys },
      warnings,
    };
  });
}

/** Conversions of a batch, one after another in one buffer, which can be moved to another thread. */
export interface ConversionBatch {
  readonly bytes: Uint8Array;
  /** Where each ends. */
  readonly ends: Float64Array;
}

export function joined(conversions: readonly Conversion[]): ConversionBatch {
  const ends = new Float64Array(conversions.length);
  let length = 0;
  conversions.forEach(({ byteLength }, i) => {
    length += byteLength;
    ends[i] = length;
  });
  const bytes = Buffer.from(new ArrayBuffer(length)); // not of the pool
  conversions.forEach((conversion, i) => {
    conversion.writeTo(bytes, ends[i] - conversion.byteLength);
  });
  return { bytes: new Uint8Array(bytes.buffer), ends };
}

/** The conversion with this number: a view. */
export function conversionAt({ bytes, ends }: ConversionBatch, number: number): Uint8Array {
  return bytes.subarray(number === 0 ? 0 : ends[number - 1], ends[number]);
}
