// Which keys are closest to their limits: a sweep over the table of keys and the limiter's memory, a part
// each second, so that it delays nobody however many keys there are. Counts nothing itself.

import { type KeyTable, KeyTableView, NO_TIER } from '../../../access/key-table.ts';
import type { KeyQuota } from '../../../dialects/operations/document.ts';
import { type Rate, RateLimiter, tierRate } from '../../../http/callers/rate-limit.ts';

const MOST_SHOWN = 100;
/** Rows looked at in one step: a few milliseconds. */
const ROWS_PER_STEP = 10_000;

/** A key that may be shown. */
interface Candidate {
  readonly row: number;
  /** What is left of its burst, from 0 to 1; above 1 for a key without a limit, which comes last. */
  readonly share: number;
}

interface Tier {
  readonly name: string;
  readonly rate: Rate | null;
}

export class KeyQuotas {
  readonly #limiter: RateLimiter;
  #table: KeyTable | undefined;
  #view: KeyTableView | undefined;
  #tiers: readonly Tier[] = [];
  #next = 0;
  #found: Candidate[] = [];
  #rows: readonly number[] = [];

  /** `memory` is that in which all threads count. */
  constructor(memory: SharedArrayBuffer) {
    this.#limiter = new RateLimiter(memory);
  }

  /** All keys of the file. */
  get total(): number {
    return this.#view?.keyCount ?? 0;
  }

  /** The next step of the sweep; with another table, the first of a new one. */
  step(table: KeyTable, nowMs: number): void {
    if (table !== this.#table) this.#adopt(table);
    const view = this.#view;
    if (view === undefined) return;
    const end = Math.min(view.keyCount, this.#next + ROWS_PER_STEP);
    for (let row = this.#next; row < end; row++) {
      const share = this.#shareOf(view, row, nowMs);
      if (share !== undefined) this.#found.push({ row, share });
      if (this.#found.length >= 4 * MOST_SHOWN) this.#found = least(this.#found);
    }
    this.#next = end;
    if (end < view.keyCount) return;
    this.#rows = least(this.#found).map(({ row }) => row);
    this.#found = [];
    this.#next = 0;
  }

  /** The keys that the last whole sweep found, with what they have now; least remaining share first. */
  shown(nowMs: number): readonly KeyQuota[] {
    const view = this.#view;
    if (view === undefined) return [];
    const now = this.#rows.flatMap((row) => {
      const share = this.#shareOf(view, row, nowMs);
      return share === undefined ? [] : [{ row, share }];
    });
    return least(now).map(({ row }) => {
      const { name, rate } = this.#tiers[view.tierIndex(row)];
      const limits = rate === null ? [] : [limitOf(rate, this.#remaining(view, row, rate, nowMs))];
      return { id: view.id(row), tier: name, limits };
    });
  }

  #adopt(table: KeyTable): void {
    this.#table = table;
    this.#view = new KeyTableView(table);
    this.#tiers = table.tiers.map(([name, { rate }]) => {
      return { name, rate: rate === null ? null : tierRate(name, rate) };
    });
    this.#next = 0;
    this.#found = [];
    this.#rows = [];
  }

  /** Undefined for a key that admits nobody. */
  #shareOf(view: KeyTableView, row: number, nowMs: number): number | undefined {
    const tier = view.tierIndex(row);
    if (tier === NO_TIER || view.expiresAtMs(row) <= nowMs) return undefined;
    const { rate } = this.#tiers[tier];
    return rate === null ? 2 : this.#remaining(view, row, rate, nowMs) / rate.burst;
  }

  #remaining(view: KeyTableView, row: number, rate: Rate, nowMs: number): number {
    // What would remain after a request that is admitted.
    const { allowed, remaining } = this.#limiter.peek(view.slot(row), rate, nowMs);
    return allowed ? remaining + 1 : remaining;
  }
}

function limitOf({ limit, windowSeconds }: Rate, remaining: number): KeyQuota['limits'][number] {
  return { limit, window_seconds: windowSeconds, remaining };
}

/** In the order of the file where shares are equal. */
function least(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates].sort((a, b) => a.share - b.share || a.row - b.row).slice(0, MOST_SHOWN);
}
