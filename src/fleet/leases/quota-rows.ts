// The keys of this process as the leaser sees them: a number of tokens for each, which serving threads spend.

import type { LeaseRate } from './lease.ts';

/** A key whose quota has a limit. */
export interface QuotaKey {
  readonly id: string;
  readonly rate: LeaseRate;
}

/** A slot is a key's place, the same as long as the key is in the keys file. */
export interface QuotaRows {
  /** Calls back for each key that has spent, was refused, holds or owes something. */
  eachUsed(visit: (slot: number) => void): void;
  /** Calls back for each key whose level, as last heard, has not drained. */
  eachSeen(visit: (slot: number, levelMs: number) => void): void;
  /** Undefined for a slot whose key is gone, or has no limit any more. */
  key(slot: number): QuotaKey | undefined;
  /** What may be spent; below zero it is owed. */
  held(slot: number): number;
  /** The largest cost that was refused since the last call, or 0. */
  takeAsked(slot: number): number;
  /** How far below zero `held` may fall, but for what is withheld. */
  allowance(slot: number): number;
  /** Withholds so much of the allowance. */
  withhold(slot: number, count: number): void;
  grant(slot: number, tokens: number): void;
  /** Returns how many of at most so many it took. */
  takeBack(slot: number, most: number): number;
  /** The level as last heard, drained until now. */
  levelMs(slot: number): number;
  setLevel(slot: number, levelMs: number): void;
  /** The time of day was set: levels are the same by the new one. */
  shiftLevels(byMs: number): void;
  setReplicas(count: number): void;
}
