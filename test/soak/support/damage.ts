// Typical file damage: a flipped bit, a lost or overwritten run of bytes, a missing end, a piece from another
// file. Every damaged file differs from the sound one.

import type { Dice } from '../../../src/generator/dice.ts';

export const FAULTS = ['bit', 'run', 'truncation', 'splice'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Stretch {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

export interface Patient {
  readonly sound: Buffer;
  /** Another sound file, as a source of pieces. */
  readonly other: Buffer;
  /** Where the damage begins. */
  readonly place: Stretch;
}

const LONGEST_RUN = 4096; // bytes: one disk page

export function damage(dice: Dice, fault: Fault, patient: Patient): Buffer {
  for (;;) {
    const damaged = damageOnce(dice, fault, patient);
    if (!damaged.equals(patient.sound)) return damaged;
  }
}

function damageOnce(dice: Dice, fault: Fault, { sound, other, place }: Patient): Buffer {
  const at = place.offset + dice.whole(0, place.length - 1);
  const length = Math.min(dice.whole(1, LONGEST_RUN), sound.length - at);
  switch (fault) {
    case 'bit': {
      const bytes = Buffer.from(sound);
      bytes[at] ^= 1 << dice.whole(0, 7);
      return bytes;
    }
    case 'run': {
      const bytes = Buffer.from(sound);
      const kind = dice.whole(0, 2); // zeros, ones, noise
      for (let i = at; i < at + length; i++) bytes[i] = [0, 0xff, dice.whole(0, 255)][kind] as number;
      return bytes;
    }
    case 'truncation':
      return Buffer.from(sound.subarray(0, at));
    case 'splice':
      return splice(dice, sound, { at, length, other });
  }
}

/** A piece omitted, a piece duplicated, or a piece of another file. */
function splice(
  dice: Dice,
  sound: Buffer,
  { at, length, other }: { readonly at: number; readonly length: number; readonly other: Buffer },
): Buffer {
  const before = sound.subarray(0, at);
  const piece = sound.subarray(at, at + length);
  const behind = sound.subarray(at + length);
  switch (dice.whole(0, 2)) {
    case 0:
      return Buffer.concat([before, behind]);
    case 1:
      return Buffer.concat([before, piece, piece, behind]);
    default:
      return Buffer.concat([before, other.subarray(at, at + length), behind]);
  }
}
