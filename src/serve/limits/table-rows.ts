// The table of keys and the memory of their leases, as the leaser sees them: what is looked at in each turn
// is two numbers a key, in the order of their slots.

import { type KeyTable, KeyTableView, NO_TIER } from '../../access/key-table.ts';
import type { QuotaKey, QuotaRows } from '../../fleet/leases/quota-rows.ts';
import { type TierRules, tierRules } from '../../http/callers/auth.ts';
import type { LeaseRows } from '../../http/callers/lease-rows.ts';

export class TableRows implements QuotaRows {
  readonly #leases: LeaseRows;
  readonly #wallMs: () => number;
  /** Of the keys with a limit, ascending, and the row of each in the table. */
  #slots: Uint32Array = new Uint32Array();
  #rows = new Map<number, number>();
  #view: KeyTableView;
  #tiers: readonly TierRules[] = [];

  constructor(leases: LeaseRows, table: KeyTable, wallMs: () => number) {
    this.#leases = leases;
    this.#wallMs = wallMs;
    this.#view = new KeyTableView(table);
    this.adopt(table);
  }

  adopt(table: KeyTable): void {
    const view = new KeyTableView(table);
    this.#view = view;
    this.#tiers = table.tiers.map(([name, tier]) => tierRules(name, tier));
    this.#rows = new Map();
    for (let row = 0; row < view.keyCount; row++) {
      const tier = view.tierIndex(row);
      if (tier !== NO_TIER && this.#tiers[tier].rate !== null) this.#rows.set(view.slot(row), row);
    }
    this.#slots = Uint32Array.from(this.#rows.keys()).sort();
  }

  eachUsed(visit: (slot: number) => void): void {
    const leases = this.#leases;
    for (const slot of this.#slots) if (leases.isUsed(slot)) visit(slot);
  }

  eachSeen(visit: (slot: number, levelMs: number) => void): void {
    for (const slot of this.#slots) {
      const levelMs = this.levelMs(slot);
      if (levelMs > 0) visit(slot, levelMs);
    }
  }

  key(slot: number): QuotaKey | undefined {
    const row = this.#rows.get(slot);
    const rate = this.#rateOf(slot);
    return row === undefined || rate === null ? undefined : { id: this.#view.id(row), rate };
  }

  allowance(slot: number): number {
    const rate = this.#rateOf(slot);
    return rate === null ? 0 : this.#leases.allowance(rate);
  }

  held(slot: number): number {
    return this.#leases.held(slot);
  }

  withhold(slot: number, count: number): void {
    this.#leases.withhold(slot, count);
  }

  takeAsked(slot: number): number {
    return this.#leases.takeAsked(slot);
  }

  grant(slot: number, tokens: number): void {
    if (tokens !== 0) this.#leases.grant(slot, tokens);
  }

  takeBack(slot: number, most: number): number {
    return this.#leases.takeBack(slot, most);
  }

  levelMs(slot: number): number {
    return Math.max(0, this.#leases.tatMs(slot) - this.#wallMs());
  }

  setLevel(slot: number, levelMs: number): void {
    this.#leases.setTatMs(slot, this.#wallMs() + levelMs);
  }

  shiftLevels(byMs: number): void {
    for (const slot of this.#slots) {
      const tatMs = this.#leases.tatMs(slot);
      if (tatMs > 0) this.#leases.setTatMs(slot, tatMs + byMs);
    }
  }

  setReplicas(count: number): void {
    this.#leases.setReplicas(count);
  }

  #rateOf(slot: number): TierRules['rate'] {
    const row = this.#rows.get(slot);
    return row === undefined ? null : this.#tiers[this.#view.tierIndex(row)].rate;
  }
}
