// Snapshots that only a broken or hostile writer produces: a sound one, changed at random, with a matching
// header and checksum. Damage in transit never gets that far; whatever does must be refused or harmless.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Dice } from '../../../src/generator/dice.ts';
import { SECTIONS } from '../../../src/loader/format.ts';
import { copyColumns, forged, resealed, sectionBounds } from './snapshots.ts';

/** Values that are awkward in columns of numbers. */
const WORDS = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
/**
 * MessagePack's types at their edges: maps, arrays, strings, nil, the unused one, numbers, extensions, 32-bit
 * lengths.
 */
const TYPE_BYTES = [
  0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc3, 0xc6, 0xc9, 0xca, 0xcb, 0xcf, 0xd3, 0xd4,
  0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xdf, 0xe0, 0xff,
];

export interface Mutation {
  readonly bytes: Uint8Array;
  /** Enough to reproduce it. */
  readonly what: string;
}

/** Changes one or two places in a section, or in the inflated blocks of details. */
export function mutate(dice: Dice, sound: Uint8Array): Mutation {
  const places: string[] = [];
  const change = (bytes: Uint8Array): void => {
    for (let count = dice.whole(1, 2); count > 0; count--) places.push(changeOnce(dice, bytes));
  };
  if (dice.chance(0.3)) {
    const bytes = withDetails(sound, change);
    return { bytes, what: `inflated details ${places.join(', ')}` };
  }
  const name = dice.pick(SECTIONS);
  const { offset, length } = sectionBounds(sound, name);
  const copy = sound.slice();
  change(copy.subarray(offset, offset + length));
  return { bytes: resealed(copy), what: `${name} ${places.join(', ')}` };
}

function changeOnce(dice: Dice, bytes: Uint8Array): string {
  const at = dice.whole(0, bytes.length - 1);
  const word = at & ~3;
  if (dice.chance(0.3) && word + 4 <= bytes.length) {
    const value = dice.chance(0.5) ? dice.pick(WORDS) : dice.whole(0, 40);
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(word, value, true);
    return `word ${word} = ${value}`;
  }
  bytes[at] = dice.chance(0.5) ? dice.pick(TYPE_BYTES) : dice.whole(0, 255);
  return `byte ${at} = ${bytes[at]}`;
}

/** The same snapshot with its inflated details, all blocks as one range of bytes, changed in place. */
export function withDetails(sound: Uint8Array, change: (inflated: Uint8Array) => void): Uint8Array {
  const { detailBlockStart, detailDictionary } = copyColumns(sound);
  const { offset } = sectionBounds(sound, 'details');
  const options = { dictionary: detailDictionary };
  const blocks = Array.from(detailBlockStart.subarray(1), (end, block) =>
    inflateRawSync(sound.subarray(offset + detailBlockStart[block], offset + end), options),
  );
  const inflated = Buffer.concat(blocks);
  change(inflated);
  let end = 0;
  const changed = blocks.map(({ length }) => {
    end += length;
    return inflated.subarray(end - length, end);
  });
  return withDetailBlocks(sound, changed);
}

/** The same snapshot with these blocks of details, passed inflated. */
export function withDetailBlocks(sound: Uint8Array, blocks: readonly Uint8Array[]): Uint8Array {
  const { detailDictionary } = copyColumns(sound);
  const deflated = blocks.map((block) => deflateRawSync(block, { dictionary: detailDictionary }));
  const detailBlockStart = new Uint32Array(blocks.length + 1);
  deflated.forEach(({ length }, block) => {
    detailBlockStart[block + 1] = detailBlockStart[block] + length;
  });
  return forged(sound, { details: Buffer.concat(deflated), columns: () => ({ detailBlockStart }) });
}
