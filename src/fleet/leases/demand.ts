// How much of one key's quota a replica should hold: enough for AHEAD_TICKS of what was spent lately, less
// the allowance, which may be spent before anything is leased. So a key that is used now and then leases
// nothing ahead; what it spent is charged afterwards.

import type { KeyCall, KeyReply } from './lease.ts';
import type { QuotaKey, QuotaRows } from './quota-rows.ts';

/** Two calls may fail or be late. */
const AHEAD_TICKS = 4;
/** Of the pace, from tick to tick, when less is spent. */
const SLOWING = 0.8;
const STILL = 0.05; // tokens a tick
/** For so long more than needed is kept, before it is returned. */
const SURPLUS_TICKS = 10;
/** A key with nothing left is asked for again after this time, as others may return tokens. */
const EMPTY_MS = 1_000;
const MOST_AHEAD = 500_000_000; // rows are 32 bits wide

/** How a row is looked at. */
interface Look {
  /** Replicas that may each spend an allowance of what is left, without asking. */
  readonly sharers: number;
  readonly nowMs: number;
  /** A look may also come before its tick. */
  readonly isTick: boolean;
  /** Whether there is someone to return tokens to. */
  readonly canReturn: boolean;
}

export class Demand {
  readonly slot: number;
  key: QuotaKey;
  /** Tokens held when this tick was over. */
  #left = 0;
  /** Tokens a tick. */
  #pace = 0;
  /** Since the last tick. */
  #spent = 0;
  #surplusTicks = 0;
  #isIdle = false;
  #notBeforeMs = 0;

  constructor(slot: number, key: QuotaKey) {
    this.slot = slot;
    this.key = key;
  }

  /** Nothing is spent, held or owed. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  /** What to ask for now, if anything; what it returns has been taken out of the row. */
  look(rows: QuotaRows, { sharers, nowMs, isTick, canReturn }: Look): Omit<KeyCall, 'seenMs'> | undefined {
    const { slot, key } = this;
    const held = rows.held(slot);
    const asked = rows.takeAsked(slot);
    const { burst } = key.rate;
    const whole = rows.allowance(slot);
    const allowance = this.#allow(rows, whole, sharers);
    this.#spent += Math.max(0, this.#left - held);
    // Refused for want of a lease, not of a quota.
    const faster = asked > 0 && this.#rest(rows) > 0 ? Math.max(asked, 2 * this.#pace) : 0;
    const slower = isTick ? this.#pace * SLOWING : this.#pace;
    this.#pace = Math.min(Math.max(this.#spent, slower, faster), burst);
    if (isTick) this.#spent = 0;
    if (this.#pace < STILL) this.#pace = 0;
    this.#left = held;
    const cushion = Math.min(Math.ceil(this.#pace * AHEAD_TICKS), MOST_AHEAD, burst);
    const kept = Math.max(0, cushion - allowance);
    const owed = Math.max(0, -held) + Math.max(0, asked - allowance - Math.max(0, held));
    const wanted = held + allowance < cushion / 2 ? Math.max(0, kept - Math.max(0, held)) : 0;
    if (held <= 2 * kept || !canReturn) this.#surplusTicks = 0;
    else if (isTick) this.#surplusTicks += 1;
    let returned = 0;
    if (this.#surplusTicks >= SURPLUS_TICKS) {
      returned = rows.takeBack(slot, held - kept);
      this.#left -= returned;
      this.#surplusTicks = 0;
    }
    this.#isIdle = held === 0 && asked === 0 && this.#pace === 0 && allowance === whole;
    const isAsking = owed + wanted > 0 && nowMs >= this.#notBeforeMs;
    if (!isAsking && returned === 0) return undefined;
    return { ...key, owed: isAsking ? owed : 0, wanted: isAsking ? wanted : 0, returned };
  }

  /** Puts what a call brought into the row. `askedFor` is how many tokens the call named. */
  take(rows: QuotaRows, reply: KeyReply, askedFor: number, sharers: number, nowMs: number): void {
    const { slot } = this;
    const { granted: tokens, levelMs } = reply;
    rows.setLevel(slot, levelMs);
    this.#allow(rows, rows.allowance(slot), sharers); // before there is more to spend
    rows.grant(slot, tokens);
    this.#left += tokens;
    if (askedFor === 0) return;
    const { burst, emissionIntervalMs } = this.key.rate;
    const nextMs = levelMs - (burst - 1) * emissionIntervalMs;
    this.#notBeforeMs = tokens > 0 ? 0 : nowMs + Math.min(EMPTY_MS, Math.max(0, nextMs));
  }

  /** What is left of the quota, as last heard. */
  #rest(rows: QuotaRows): number {
    const { burst, emissionIntervalMs } = this.key.rate;
    return Math.max(0, burst - Math.ceil(rows.levelMs(this.slot) / emissionIntervalMs));
  }

  /** Withholds what others may spend. Returns what is left of the allowance. */
  #allow(rows: QuotaRows, whole: number, sharers: number): number {
    const allowance = Math.min(whole, Math.floor(this.#rest(rows) / sharers));
    rows.withhold(this.slot, whole - allowance);
    return allowance;
  }

  /** Tokens went into or out of the row by another way. */
  moved(tokens: number): void {
    this.#left += tokens;
    this.#notBeforeMs = 0;
  }
}
