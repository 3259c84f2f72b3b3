// Snapshots that only a broken or hostile writer produces: a sound one, changed at random, with a matching
// header and checksum. Damage in transit never gets that far; whatever does must be refused or harmless.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Dice } from '../../../src/generator/dice.ts';
import { BLOCK_SECTIONS, type BlockSection } from '../../../src/index/columns.ts';
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

/** Changes one or two places in a section, or in the inflated blocks of texts or details. */
export function mutate(dice: Dice, sound: Uint8Array): Mutation {
  const places: string[] = [];
  const change = (bytes: Uint8Array): void => {
    for (let count = dice.whole(1, 2); count > 0; count--) places.push(changeOnce(dice, bytes));
  };
  if (dice.chance(0.4)) {
    const section = dice.pick(['texts', 'details'] as const);
    const bytes = withBlocks(sound, section, changedBlocks(sound, section, change));
    return { bytes, what: `inflated ${section} ${places.join(', ')}` };
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
  return withBlocks(sound, 'details', changedBlocks(sound, 'details', change));
}

/** The same with its texts. */
export function withTexts(sound: Uint8Array, change: (inflated: Uint8Array) => void): Uint8Array {
  return withBlocks(sound, 'texts', changedBlocks(sound, 'texts', change));
}

/** The same snapshot with these blocks of details, passed inflated. */
export function withDetailBlocks(sound: Uint8Array, blocks: readonly Uint8Array[]): Uint8Array {
  return withBlocks(sound, 'details', blocks);
}

/** The same with blocks of texts. */
export function withTextBlocks(sound: Uint8Array, blocks: readonly Uint8Array[]): Uint8Array {
  return withBlocks(sound, 'texts', blocks);
}

/** The blocks of a section, inflated. */
export function inflatedBlocks(sound: Uint8Array, section: BlockSection): Buffer[] {
  const columns = copyColumns(sound);
  const { starts, dictionary } = BLOCK_SECTIONS[section];
  const { offset } = sectionBounds(sound, section);
  return Array.from(columns[starts].subarray(1), (end, block) =>
    inflateRawSync(sound.subarray(offset + columns[starts][block], offset + end), {
      dictionary: columns[dictionary],
    }),
  );
}

function changedBlocks(
  sound: Uint8Array,
  section: BlockSection,
  change: (inflated: Uint8Array) => void,
): Uint8Array[] {
  const blocks = inflatedBlocks(sound, section);
  const inflated = Buffer.concat(blocks);
  change(inflated);
  let end = 0;
  return blocks.map(({ length }) => {
    end += length;
    return inflated.subarray(end - length, end);
  });
}

function withBlocks(sound: Uint8Array, section: BlockSection, blocks: readonly Uint8Array[]): Uint8Array {
  const { starts, dictionary } = BLOCK_SECTIONS[section];
  const deflated = blocks.map((block) =>
    deflateRawSync(block, { dictionary: copyColumns(sound)[dictionary] }),
  );
  const blockStarts = new Float64Array(blocks.length + 1);
  deflated.forEach(({ length }, block) => {
    blockStarts[block + 1] = blockStarts[block] + length;
  });
  return forged(sound, { [section]: Buffer.concat(deflated), columns: () => ({ [starts]: blockStarts }) });
}
